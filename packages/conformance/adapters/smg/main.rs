//! SMG's own parsers as a program of the callspec protocol; README.md says how.

use std::io::{BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use cpu_time::ProcessTime;
use openai_protocol::common::Tool;
use reasoning_parser::ReasoningParser;
use serde_json::{Map, Value, json};
use tool_parser::ToolParser;

/// Reasoning parsers of models whose prompts always open a thought, and which read a reply without an end of it as one.
const ALWAYS_THINK: [&str; 5] = ["deepseek_r1", "qwen3_thinking", "kimi_thinking", "minimax", "step3"];

/// Tokens that end a reply, of all formats; servers leave them out of the text.
const ENDS: [&str; 14] = [
    "<|im_end|>", "<|endoftext|>", "<|eot_id|>", "<|eom_id|>", "<|end_of_text|>", "<|eot|>", "<|eom|>", "<|end|>", "</s>",
    "<｜end▁of▁sentence｜>", "<turn|>", "[e~[", "<|end_of_msg|>", "<|END_OF_TURN_TOKEN|>",
];

/// Of computing time for one reply; a time on the clock would depend on what else the machine does.
const LONGEST: Duration = Duration::from_secs(5);

/// Names of `--tool-call-parser` and `--reasoning-parser`; empty for none.
struct Names {
    tool: String,
    reasoning: String,
}

fn main() {
    let given: Vec<String> = std::env::args().collect();
    let option = |name: &str| given.iter().position(|each| each == name).and_then(|at| given.get(at + 1)).cloned();
    let (parser, format) = (option("--parser").unwrap_or_default(), option("--format").unwrap_or_default());
    let (tool, reasoning) = parser.split_once('+').unwrap_or((&parser, ""));
    let names = Names { tool: tool.into(), reasoning: reasoning.into() };
    if let Err(missing) = parsers(&names) {
        eprintln!("SMG has no {missing}");
        std::process::exit(2);
    }
    let thinking: &[&str] = match reasoning {
        "" => &["none"],
        _ if ALWAYS_THINK.contains(&reasoning) => &["opened", "written"],
        _ => &["opened", "written", "none"],
    };
    // A panic is an answer, and says nothing on stderr.
    std::panic::set_hook(Box::new(|_| {}));
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let mut reply: Option<Reply> = None;
    let mut held = String::new();
    for line in std::io::stdin().lock().lines() {
        let Ok(asked) = serde_json::from_str::<Value>(&line.expect("a line")) else {
            // Rust's texts are UTF-8: a lone surrogate is the one thing that its JSON refuses.
            let seq = std::mem::take(&mut reply).map_or(Value::Null, |open| open.seq);
            answer(json!({"seq": seq, "skipped": "a lone surrogate, which UTF-8 cannot hold"}));
            continue;
        };
        match asked["cmd"].as_str() {
            Some("stop") => return,
            Some("start") => answer(json!({
                "protocol": 1, "name": format!("SMG {parser}"), "version": option("--version"), "language": "rust",
                // The gateway hands the text of one token on, or of several that the engine has sent together.
                "cuts": ["whole", "special", "tokens", "groups"], "tools": "offered", "thinking": thinking,
                "supports": [{"operations": ["parse", "stream"], "formats": [format]}],
            })),
            Some("run") => {
                held.clear();
                let mut open = Reply::new(&names, &asked);
                if asked["op"] == "parse" {
                    let text = without_end(asked["input"]["text"].as_str().unwrap_or_default());
                    open.guarded(asked["seq"].clone(), |own| runtime.block_on(own.whole(&text)));
                }
                reply = Some(open);
            }
            Some("feed") => {
                // The token of an end is one only if nothing follows: else the model wrote it into its text.
                let given = held + asked["chunk"].as_str().unwrap_or_default();
                let chunk = without_end(&given);
                held = given[chunk.len()..].to_owned();
                if let Some(open) = reply.as_mut() {
                    open.guarded(asked["seq"].clone(), |own| json!({"delta": runtime.block_on(own.feed(&chunk))}));
                }
            }
            _ => {
                if let Some(open) = reply.as_mut() {
                    open.guarded(asked["seq"].clone(), |own| json!({"delta": runtime.block_on(own.end())}));
                }
            }
        }
    }
}

fn without_end(text: &str) -> String {
    ENDS.iter().find_map(|end| text.strip_suffix(end)).unwrap_or(text).to_owned()
}

fn answer(message: Value) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{message}").and_then(|()| out.flush()).expect("an open stdout");
}

type Parsers = (Box<dyn ToolParser>, Option<Box<dyn ReasoningParser>>);

fn parsers(names: &Names) -> Result<Parsers, String> {
    let tool = tool_parser::ParserFactory::new().registry().create_parser(&names.tool);
    let tool = tool.ok_or_else(|| format!("tool parser \"{}\"", names.tool))?;
    if names.reasoning.is_empty() {
        return Ok((tool, None));
    }
    let reasoning = reasoning_parser::ParserFactory::new().registry().create_parser(&names.reasoning);
    Ok((tool, Some(reasoning.ok_or_else(|| format!("reasoning parser \"{}\"", names.reasoning))?)))
}

/// A reply on its way through the parsers, as `routers/grpc/regular` of the gateway drives them.
struct Reply {
    seq: Value,
    tool: Box<dyn ToolParser>,
    reasoning: Option<Box<dyn ReasoningParser>>,
    tools: Vec<Tool>,
    is_kimi: bool,
    calls: usize,
    start: ProcessTime,
    failure: Option<(&'static str, Value)>,
}

impl Reply {
    fn new(names: &Names, asked: &Value) -> Self {
        let (tool, mut reasoning) = parsers(names).expect("parsers that were there at the start");
        let input = &asked["input"];
        let mut failure = None;
        if !matches!(input["tool_choice"].as_str(), None | Some("auto")) || input["tool_choice"].is_object() {
            failure = Some(("skipped", json!("the gateway reads a reply with a choice of tools by JSON Schema, not by the parser")));
        } else if asked.get("plain").is_some() {
            failure = Some(("skipped", json!("the parsers are given texts: they cannot tell a marker from its characters")));
        }
        if let Some(parser) = reasoning.as_mut() {
            if input["thinking"] == "opened" {
                parser.mark_reasoning_started();
                parser.mark_think_start_stripped();
            }
        }
        let offered = input["tools"].as_array().cloned().unwrap_or_default();
        let tools = offered.into_iter().filter_map(|each| {
            let function = each.get("function").cloned().unwrap_or(each);
            serde_json::from_value(json!({"type": "function", "function": {
                "name": function["name"], "description": function["description"],
                "parameters": if function["parameters"].is_object() { function["parameters"].clone() } else { json!({"type": "object"}) },
            }})).ok()
        });
        let is_kimi = names.tool.starts_with("kimi");
        Self { seq: asked["seq"].clone(), tool, reasoning, tools: tools.collect(), is_kimi, calls: 0, start: ProcessTime::now(), failure }
    }

    /// Answers with what the parsers say, or with their panic; after one there is nothing else.
    fn guarded(&mut self, seq: Value, ask: impl FnOnce(&mut Self) -> Value) {
        if self.failure.is_none() && self.start.elapsed() > LONGEST {
            self.failure = Some(("errored", json!(format!("needed more than {} s of computing time", LONGEST.as_secs()))));
        }
        if self.failure.is_none() {
            match catch_unwind(AssertUnwindSafe(|| ask(self))) {
                Ok(output) => return answer(json!({"seq": seq, "output": output})),
                Err(cause) => {
                    let text = cause.downcast_ref::<String>().cloned();
                    let text = text.or_else(|| cause.downcast_ref::<&str>().map(|each| (*each).to_owned()));
                    self.failure = Some(("errored", json!(format!("panic: {}", text.unwrap_or_default()))));
                }
            }
        }
        if let Some((kind, said)) = &self.failure {
            let mut message = Map::from_iter([("seq".to_owned(), seq)]);
            message.insert((*kind).to_owned(), said.clone());
            answer(Value::Object(message));
        }
    }

    async fn whole(&mut self, text: &str) -> Value {
        let (mut content, mut thought) = (text.to_owned(), String::new());
        if let Some(parser) = self.reasoning.as_mut() {
            if let Ok(read) = parser.detect_and_parse_reasoning(text) {
                (content, thought) = (read.normal_text, read.reasoning_text);
            }
        }
        let mut calls = vec![];
        if !self.tools.is_empty() {
            if let Ok((rest, found)) = self.tool.parse_complete_with_tools(&content, &self.tools).await {
                content = rest;
                for (index, call) in found.into_iter().enumerate() {
                    calls.push(json!({"id": self.id(&call.function.name, index), "name": call.function.name, "arguments": call.function.arguments}));
                }
            }
        }
        json!({"content": content, "reasoning": thought, "calls": calls})
    }

    async fn feed(&mut self, chunk: &str) -> Value {
        let mut delta = Delta::default();
        let (mut text, mut is_thought) = (chunk.to_owned(), false);
        if let Some(parser) = self.reasoning.as_mut() {
            if let Ok(read) = parser.parse_reasoning_streaming_incremental(chunk) {
                delta.reasoning += &read.reasoning_text;
                (text, is_thought) = (read.normal_text, parser.is_in_reasoning());
            }
        }
        self.read(&text, is_thought, &mut delta).await;
        delta.json()
    }

    async fn end(&mut self) -> Value {
        let mut delta = Delta::default();
        if let Some(parser) = self.reasoning.as_mut() {
            if let Ok(read) = parser.flush() {
                delta.reasoning += &read.reasoning_text;
                let text = read.normal_text;
                self.read(&text, false, &mut delta).await;
            }
        }
        delta.content += &self.tool.take_unstreamed_normal_text();
        for item in self.tool.get_unstreamed_tool_args().unwrap_or_default() {
            delta.calls.push(json!({"index": item.tool_index, "arguments": item.parameters}));
        }
        delta.json()
    }

    async fn read(&mut self, text: &str, is_thought: bool, delta: &mut Delta) {
        if is_thought || self.tools.is_empty() {
            delta.content += text;
            return;
        }
        let Ok(read) = self.tool.parse_incremental(text, &self.tools).await else { return };
        delta.content += &read.normal_text;
        for item in read.calls {
            let mut call = json!({"index": item.tool_index, "arguments": item.parameters});
            if let Some(name) = item.name {
                call["id"] = json!(self.id(&name, item.tool_index));
                call["name"] = json!(name);
            }
            delta.calls.push(call);
        }
    }

    /// An id as the gateway makes it.
    fn id(&mut self, name: &str, index: usize) -> String {
        self.calls += 1;
        if self.is_kimi { format!("functions.{name}:{index}") } else { format!("call_{:024}", self.calls) }
    }
}

/// What is new in one chunk.
#[derive(Default)]
struct Delta {
    content: String,
    reasoning: String,
    calls: Vec<Value>,
}

impl Delta {
    fn json(self) -> Value {
        json!({"content": self.content, "reasoning": self.reasoning, "calls": self.calls})
    }
}
