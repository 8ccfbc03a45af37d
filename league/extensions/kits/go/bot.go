// ABOUT

package main

// CLASS plays one match.
type CLASS struct{}

// Choose is your turn: return one of legal. What the view has is described above, how to read it in kit.go.
func (bot *CLASS) Choose(table *Table, view View) int {
	legal := view.Numbers("legal")
	return legal[table.Random.Intn(len(legal))]
}

func main() {
	play(func(table *Table) Bot { return &CLASS{} })
}
