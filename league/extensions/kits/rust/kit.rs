//! Talks to the league: reads a line, asks the bots, writes a line. See docs/languages.md of League.
#![allow(dead_code)]

use std::collections::HashMap;
use std::io::{self, BufRead, Write};
use std::panic::{self, AssertUnwindSafe};

/// A value of JSON. true and false are the numbers 1 and 0.
#[derive(Clone, Debug)]
pub enum Json {
    Null,
    Number(i64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// The value of this name in an object.
    pub fn field(&self, name: &str) -> &Json {
        match self {
            Json::Object(fields) => fields.iter().find(|(known, _)| known == name).map(|(_, value)| value),
            _ => None,
        }
        .unwrap_or_else(|| panic!("there is no field {name}"))
    }

    /// The number of this name in an object.
    pub fn number(&self, name: &str) -> i64 {
        self.field(name).value()
    }

    /// The list of numbers of this name in an object.
    pub fn numbers(&self, name: &str) -> Vec<i64> {
        self.items(name).iter().map(Json::value).collect()
    }

    /// The items of the list of this name in an object.
    pub fn items(&self, name: &str) -> &[Json] {
        match self.field(name) {
            Json::List(items) => items,
            other => panic!("{name} is no list: {other:?}"),
        }
    }

    /// This value, if it is a number.
    pub fn value(&self) -> i64 {
        match self {
            Json::Number(number) => *number,
            other => panic!("expected a number, found {other:?}"),
        }
    }
}

/// Where a bot sits in one match.
pub struct Table {
    pub game: String,
    pub players: i64,
    pub seat: i64,
    pub options: Json,
    random: u64,
}

impl Table {
    /// A random number from 0 to below - 1; the same when a game is played again (the generator splitmix64).
    pub fn random_below(&mut self, below: usize) -> usize {
        self.random = self.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.random;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) % below as u64) as usize
    }
}

/// What your type does. One value plays one match, which may have several games.
pub trait Bot: Default {
    fn choose(&mut self, table: &mut Table, view: &Json) -> i64;
    fn start(&mut self, _table: &mut Table) {}
}

/// Play until the league closes its end.
pub fn play<B: Bot>() {
    let mut hello = Json::Null;
    let mut seats: HashMap<i64, (B, Table)> = HashMap::new();
    for line in io::stdin().lock().lines() {
        let message = Reader { text: line.expect("a line").into_bytes(), at: 0 }.value();
        let answer = match &message {
            Json::Object(fields) if fields.iter().any(|(name, _)| name == "hello") => {
                hello = message.field("hello").clone();
                "{\"protocol\":1}".to_string()
            }
            _ => answered(&message, &hello, &mut seats),
        };
        println!("{answer}");
        io::stdout().flush().expect("the league listens");
    }
}

fn answered<B: Bot>(message: &Json, hello: &Json, seats: &mut HashMap<i64, (B, Table)>) -> String {
    for start in message.items("start") {
        let slot = start.number("slot");
        if start.number("fresh") == 1 {
            let game = match hello.field("game") {
                Json::Text(name) => name.clone(),
                _ => String::new(),
            };
            let random = start.number("seed") as u64;
            let options = hello.field("options").clone();
            let table = Table { game, players: hello.number("players"), seat: 0, options, random };
            seats.insert(slot, (B::default(), table));
        }
        let (bot, table) = seats.get_mut(&slot).expect("a match has begun");
        table.seat = start.number("seat");
        bot.start(table);
    }
    let mut moves = Vec::new();
    for question in message.items("choose") {
        let (bot, table) = seats.get_mut(&question.number("slot")).expect("a match has begun");
        let chosen = panic::catch_unwind(AssertUnwindSafe(|| bot.choose(table, question.field("view"))));
        moves.push(match chosen {
            Ok(number) => number.to_string(),
            Err(_) => "{\"error\":\"it panicked: see what it wrote\"}".to_string(),
        });
    }
    format!("[{}]", moves.join(","))
}

struct Reader {
    text: Vec<u8>,
    at: usize,
}

impl Reader {
    /// The next byte that is no space; it is not taken yet.
    fn next(&mut self) -> u8 {
        while self.text.get(self.at) == Some(&b' ') {
            self.at += 1;
        }
        *self.text.get(self.at).unwrap_or(&0)
    }

    fn value(&mut self) -> Json {
        match self.next() {
            b'{' => {
                let mut fields = Vec::new();
                self.at += 1;
                while self.next() != b'}' {
                    let name = self.string();
                    self.next();
                    self.at += 1; // the colon
                    fields.push((name, self.value()));
                    self.skip_comma();
                }
                self.at += 1;
                Json::Object(fields)
            }
            b'[' => {
                let mut items = Vec::new();
                self.at += 1;
                while self.next() != b']' {
                    items.push(self.value());
                    self.skip_comma();
                }
                self.at += 1;
                Json::List(items)
            }
            b'"' => Json::Text(self.string()),
            _ => self.word(),
        }
    }

    fn skip_comma(&mut self) {
        if self.next() == b',' {
            self.at += 1;
        }
    }

    fn string(&mut self) -> String {
        let mut bytes = Vec::new();
        self.at += 1;
        while self.text[self.at] != b'"' {
            if self.text[self.at] == b'\\' {
                self.at += 1;
            }
            bytes.push(self.text[self.at]);
            self.at += 1;
        }
        self.at += 1;
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn word(&mut self) -> Json {
        let start = self.at;
        while self.at < self.text.len() && !b",]} ".contains(&self.text[self.at]) {
            self.at += 1;
        }
        match String::from_utf8_lossy(&self.text[start..self.at]).as_ref() {
            "true" => Json::Number(1),
            "false" => Json::Number(0),
            "null" => Json::Null,
            digits => Json::Number(digits.parse::<f64>().map(|number| number as i64).expect("a number")),
        }
    }
}
