//! Dynamo's own parsers as a program of the callspec protocol; README.md says how.

use std::io::{BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::time::Duration;

use cpu_time::ProcessTime;
use dynamo_parsers::reasoning::{ReasoningParser, ReasoningParserType, ReasoningParserWrapper, get_available_reasoning_parsers};
use dynamo_parsers::tool_calling::ToolDefinition;
use dynamo_parsers::tool_calling::jail::{Annotated, JailedStream};
use dynamo_parsers::tool_calling::parsers::{detect_and_parse_tool_call_with_recovery, get_available_tool_parsers};
use dynamo_protocols::types::{
    ChatChoiceStream, ChatCompletionMessageContent, ChatCompletionStreamResponseDelta, CreateChatCompletionStreamResponse, FinishReason, Role,
};
use futures::channel::mpsc::{UnboundedSender, unbounded};
use futures::{FutureExt, Stream, StreamExt};
use serde_json::{Map, Value, json};

/// Reasoning parsers of models whose prompts always open a thought, and which read a reply without an end of it as one.
const ALWAYS_THINK: [&str; 6] = ["deepseek_r1", "deepseek_v3", "deepseek_v3_1", "deepseek_v3_2", "kimi_k25", "minimax_m2"];

/// Tokens that end a reply, of all formats; servers leave them out of the text.
const ENDS: [&str; 14] = [
    "<|im_end|>", "<|endoftext|>", "<|eot_id|>", "<|eom_id|>", "<|end_of_text|>", "<|eot|>", "<|eom|>", "<|end|>", "</s>",
    "<｜end▁of▁sentence｜>", "<turn|>", "[e~[", "<|end_of_msg|>", "<|END_OF_TURN_TOKEN|>",
];

/// Of computing time for one reply; a time on the clock would depend on what else the machine does.
const LONGEST: Duration = Duration::from_secs(5);

type Chunk = Annotated<CreateChatCompletionStreamResponse>;

fn main() {
    let given: Vec<String> = std::env::args().collect();
    let option = |name: &str| given.iter().position(|each| each == name).and_then(|at| given.get(at + 1)).cloned();
    let (parser, format) = (option("--parser").unwrap_or_default(), option("--format").unwrap_or_default());
    let (tool, reasoning) = parser.split_once('+').unwrap_or((&parser, ""));
    if !get_available_tool_parsers().contains(&tool) || !(reasoning.is_empty() || get_available_reasoning_parsers().contains(&reasoning)) {
        eprintln!("Dynamo has no parsers \"{parser}\"");
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
    let _inside = runtime.enter();
    let mut reply: Option<Reply> = None;
    let mut held = String::new();
    for line in std::io::stdin().lock().lines() {
        let Ok(asked) = serde_json::from_str::<Value>(&line.expect("a line")) else {
            // Rust's texts are UTF-8: a lone surrogate is the one thing that its JSON refuses.
            let seq = reply.take().map_or(Value::Null, |open| open.seq);
            answer(json!({"seq": seq, "skipped": "a lone surrogate, which UTF-8 cannot hold"}));
            continue;
        };
        let seq = asked["seq"].clone();
        match asked["cmd"].as_str() {
            Some("stop") => return,
            Some("start") => answer(json!({
                "protocol": 1, "name": format!("Dynamo {parser}"), "version": option("--version"), "language": "rust",
                // The frontend hands the text of one token on, or of several that the engine has sent together.
                "cuts": ["whole", "special", "tokens", "groups"], "tools": "offered", "thinking": thinking,
                "supports": [{"operations": ["parse", "stream"], "formats": [format]}],
            })),
            Some("run") => {
                held.clear();
                let mut open = Reply::new(tool, reasoning, &asked);
                if asked["op"] == "parse" {
                    let text = without_end(asked["input"]["text"].as_str().unwrap_or_default());
                    open.guarded(seq, |own| runtime.block_on(own.whole(&text)));
                }
                reply = Some(open);
            }
            Some("feed") => {
                // The token of an end is one only if nothing follows: else the model wrote it into its text.
                let given = held + asked["chunk"].as_str().unwrap_or_default();
                let chunk = without_end(&given);
                held = given[chunk.len()..].to_owned();
                if let Some(open) = reply.as_mut() {
                    open.guarded(seq, |own| Ok(json!({"delta": own.feed(&chunk)})));
                }
            }
            _ => {
                if let Some(open) = reply.as_mut() {
                    open.guarded(seq, |own| Ok(json!({"delta": own.end()})));
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

/// A reply on its way through the parsers: a reasoning parser first, then the tool parser, or the jail that it fills in a stream.
struct Reply {
    seq: Value,
    tool: String,
    reasoning: Option<ReasoningParserWrapper>,
    tools: Vec<ToolDefinition>,
    input: UnboundedSender<Chunk>,
    output: Pin<Box<dyn Stream<Item = Chunk>>>,
    ids: Vec<String>,
    start: ProcessTime,
    failure: Option<(&'static str, Value)>,
}

impl Reply {
    fn new(tool: &str, reasoning: &str, asked: &Value) -> Self {
        let input = &asked["input"];
        let mut failure = None;
        if !matches!(input["tool_choice"].as_str(), None | Some("auto")) || input["tool_choice"].is_object() {
            failure = Some(("skipped", json!("a choice of tools makes the frontend constrain the reply")));
        } else if asked.get("plain").is_some() {
            failure = Some(("skipped", json!("the parsers are given texts: they cannot tell a marker from its characters")));
        }
        let offered = input["tools"].as_array().cloned().unwrap_or_default();
        let tools: Vec<ToolDefinition> = offered
            .into_iter()
            .map(|each| each.get("function").cloned().unwrap_or(each))
            .map(|function| ToolDefinition {
                name: function["name"].as_str().unwrap_or_default().to_owned(),
                parameters: function.get("parameters").cloned(),
                strict: None,
            })
            .collect();
        let mut parser = (!reasoning.is_empty()).then(|| ReasoningParserType::get_reasoning_parser_from_name(reasoning));
        if let Some(own) = parser.as_mut() {
            if input["thinking"] == "opened" {
                own.set_in_reasoning(true);
            }
        }
        let mut builder = JailedStream::builder().tool_call_parser(tool);
        if !tools.is_empty() {
            builder = builder.tool_definitions(tools.clone());
        }
        let (sender, receiver) = unbounded();
        let output = builder.build().apply(receiver);
        let (tool, start) = (tool.to_owned(), ProcessTime::now());
        Self { seq: asked["seq"].clone(), tool, reasoning: parser, tools, input: sender, output: Box::pin(output), ids: vec![], start, failure }
    }

    /// Answers with what the parsers say, with their refusal, or with their panic; after one of these there is nothing else.
    fn guarded(&mut self, seq: Value, ask: impl FnOnce(&mut Self) -> Result<Value, String>) {
        if self.failure.is_none() && self.start.elapsed() > LONGEST {
            self.failure = Some(("errored", json!(format!("needed more than {} s of computing time", LONGEST.as_secs()))));
        }
        if self.failure.is_none() {
            match catch_unwind(AssertUnwindSafe(|| ask(self))) {
                Ok(Ok(output)) => return answer(json!({"seq": seq, "output": output})),
                Ok(Err(message)) => self.failure = Some(("rejected", json!({"message": message}))),
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

    async fn whole(&mut self, text: &str) -> Result<Value, String> {
        let (mut content, mut thought) = (text.to_owned(), String::new());
        if let Some(parser) = self.reasoning.as_mut() {
            let read = parser.detect_and_parse_reasoning(text, &[]);
            (content, thought) = (read.normal_text, read.reasoning_text);
        }
        let mut calls = vec![];
        if !self.tools.is_empty() {
            let read = detect_and_parse_tool_call_with_recovery(&content, Some(&self.tool), Some(&self.tools)).await;
            let (found, rest) = read.map_err(|error| error.to_string())?;
            content = rest.unwrap_or_default();
            for each in found {
                calls.push(json!({"id": self.numbered(each.id), "name": each.function.name, "arguments": each.function.arguments}));
            }
        }
        Ok(json!({"content": content, "reasoning": thought, "calls": calls}))
    }

    fn feed(&mut self, chunk: &str) -> Value {
        let (mut text, mut thought) = (chunk.to_owned(), String::new());
        if let Some(parser) = self.reasoning.as_mut() {
            let read = parser.parse_reasoning_streaming_incremental(chunk, &[]);
            (text, thought) = (read.normal_text, read.reasoning_text);
        }
        self.read(text, thought, false)
    }

    fn end(&mut self) -> Value {
        let rest = self.reasoning.as_mut().map(|parser| parser.finish_reasoning_stream()).unwrap_or_default();
        let (text, thought) = (rest.normal_text, rest.reasoning_text);
        let mut last = self.read(text, thought, false);
        let closing = self.read(String::new(), String::new(), true);
        last["content"] = json!(format!("{}{}", last["content"].as_str().unwrap_or_default(), closing["content"].as_str().unwrap_or_default()));
        if let (Some(calls), Some(more)) = (last["calls"].as_array_mut(), closing["calls"].as_array()) {
            calls.extend(more.iter().cloned());
        }
        last
    }

    /// An id that Dynamo has drawn, by its number: equal questions have equal answers. One that the model wrote stays.
    fn numbered(&mut self, id: String) -> String {
        if !is_drawn(&id) {
            return id;
        }
        let known = self.ids.iter().position(|each| *each == id);
        let at = known.unwrap_or_else(|| {
            self.ids.push(id);
            self.ids.len() - 1
        });
        format!("call-{:08}", at + 1)
    }

    /// Sends a text through the jail, and takes what it lets out.
    fn read(&mut self, text: String, thought: String, is_last: bool) -> Value {
        let (mut content, mut calls) = (String::new(), vec![]);
        if self.tools.is_empty() {
            return json!({"content": text, "reasoning": thought, "calls": calls});
        }
        if is_last || !text.is_empty() {
            self.input.unbounded_send(chunk_of(text, is_last)).expect("an open jail");
        }
        if is_last {
            self.input.close_channel();
        }
        while let Some(Some(out)) = self.output.next().now_or_never() {
            for choice in out.data.into_iter().flat_map(|data| data.choices) {
                if let Some(ChatCompletionMessageContent::Text(more)) = choice.delta.content {
                    content += &more;
                }
                for call in choice.delta.tool_calls.unwrap_or_default() {
                    let (name, arguments) = call.function.map(|each| (each.name, each.arguments)).unwrap_or_default();
                    let id = call.id.map(|each| self.numbered(each));
                    let parts = [("id", id), ("name", name), ("arguments", arguments)];
                    let mut delta = json!({"index": call.index});
                    for (key, part) in parts {
                        if let Some(part) = part {
                            delta[key] = json!(part);
                        }
                    }
                    calls.push(delta);
                }
            }
        }
        json!({"content": content, "reasoning": thought, "calls": calls})
    }
}

/// Dynamo draws `call-UUID`, a bare UUID (GLM) or `call_` with 24 hexadecimal digits (DeepSeek from V3.2 on).
fn is_drawn(id: &str) -> bool {
    let is_hex = |text: &str, length: usize| text.len() == length && text.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit());
    is_hex(id.strip_prefix("call-").unwrap_or(id), 36) || id.strip_prefix("call_").is_some_and(|rest| is_hex(rest, 24))
}

fn chunk_of(text: String, is_last: bool) -> Chunk {
    #[allow(deprecated)]
    let delta = ChatCompletionStreamResponseDelta {
        role: Some(Role::Assistant),
        content: (!is_last).then_some(ChatCompletionMessageContent::Text(text)),
        tool_calls: None,
        function_call: None,
        refusal: None,
        reasoning_content: None,
    };
    let choice = ChatChoiceStream { index: 0, delta, finish_reason: is_last.then_some(FinishReason::Stop), logprobs: None };
    let data = CreateChatCompletionStreamResponse {
        id: "callspec".to_owned(),
        choices: vec![choice],
        created: 0,
        model: "m".to_owned(),
        system_fingerprint: None,
        object: "chat.completion.chunk".to_owned(),
        usage: None,
        service_tier: None,
    };
    Annotated { data: Some(data), id: None, event: None, comment: None, error: None }
}
