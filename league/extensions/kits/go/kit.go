// Talks to the league: reads a line, asks the bots, writes a line. See docs/languages.md of League.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
)

// Table is where a bot sits in one match.
type Table struct {
	Game    string
	Players int
	Seat    int
	Options map[string]any
	// Random numbers that are the same when a game is played again.
	Random *rand.Rand
}

// View is what a bot sees: the fields that are described in bot.go, by name.
type View map[string]any

// Number is the number of this name.
func (view View) Number(name string) int {
	return number(view.field(name))
}

// Numbers is the list of numbers of this name.
func (view View) Numbers(name string) []int {
	items := view.field(name).([]any)
	numbers := make([]int, len(items))
	for index, item := range items {
		numbers[index] = number(item)
	}
	return numbers
}

// Items is the list of objects of this name, such as the rounds of a history.
func (view View) Items(name string) []View {
	items := view.field(name).([]any)
	objects := make([]View, len(items))
	for index, item := range items {
		objects[index] = item.(map[string]any)
	}
	return objects
}

func (view View) field(name string) any {
	value, known := view[name]
	if !known {
		panic("there is no field " + name)
	}
	return value
}

func number(value any) int {
	switch known := value.(type) {
	case float64:
		return int(known)
	case bool:
		if known {
			return 1
		}
		return 0
	}
	panic(fmt.Sprintf("expected a number, found %v", value))
}

// Bot is what your type does. One value plays one match, which may have several games.
type Bot interface {
	Choose(table *Table, view View) int
}

// Starter is a bot that wants to know when a game begins.
type Starter interface {
	Start(table *Table)
}

type seated struct {
	bot   Bot
	table *Table
}

type message struct {
	Hello *struct {
		Game    string
		Players int
		Options map[string]any
	}
	Start []struct {
		Slot  int
		Seat  int
		Seed  int64
		Fresh bool
	}
	Choose []struct {
		Slot int
		View View
	}
}

// play with bots that newBot makes, one for each match, until the league closes its end.
func play(newBot func(*Table) Bot) {
	answers := bufio.NewWriter(os.Stdout)
	os.Stdout = os.Stderr // what a bot prints must not get between the answers
	lines := bufio.NewReaderSize(os.Stdin, 1<<16)
	seats := map[int]*seated{}
	var hello message
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var told message
		if err := json.Unmarshal(line, &told); err != nil {
			panic(err)
		}
		var answer any = map[string]any{"protocol": 1}
		if told.Hello != nil {
			hello = told
		} else {
			answer = answered(told, hello, seats, newBot)
		}
		if err := json.NewEncoder(answers).Encode(answer); err != nil {
			return
		}
		answers.Flush()
	}
}

func answered(told message, hello message, seats map[int]*seated, newBot func(*Table) Bot) []any {
	broken := map[int]string{}
	for _, start := range told.Start {
		broken[start.Slot] = caught(func() {
			if start.Fresh {
				random := rand.New(rand.NewSource(start.Seed))
				table := &Table{hello.Hello.Game, hello.Hello.Players, start.Seat, hello.Hello.Options, random}
				seats[start.Slot] = &seated{nil, table}
				seats[start.Slot].bot = newBot(table)
			}
			at := seats[start.Slot]
			at.table.Seat = start.Seat
			if starter, known := at.bot.(Starter); known {
				starter.Start(at.table)
			}
		})
	}
	moves := make([]any, 0, len(told.Choose))
	for _, question := range told.Choose {
		problem, move := broken[question.Slot], 0
		if problem == "" {
			at := seats[question.Slot]
			problem = caught(func() { move = at.bot.Choose(at.table, question.View) })
		}
		if problem == "" {
			moves = append(moves, move)
		} else {
			moves = append(moves, map[string]string{"error": problem})
		}
	}
	return moves
}

// caught is why a call panicked, or nothing.
func caught(call func()) (problem string) {
	defer func() {
		if reason := recover(); reason != nil {
			problem = fmt.Sprint(reason)
			fmt.Fprintln(os.Stderr, problem)
		}
	}()
	call()
	return ""
}
