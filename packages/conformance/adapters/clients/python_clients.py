"""The Python packages openai (Apache-2.0) and anthropic (MIT) as clients under test: their helpers that join streams.

    python3 -m pip install --target ~/python openai anthropic
    callspec conformance run --client 'python3 python_clients.py openai ~/python'
"""

import json
import sys

if len(sys.argv) != 3 or sys.argv[1] not in ("openai", "anthropic"):
    sys.exit("usage: python_clients.py openai|anthropic FOLDER")
NAME, FOLDER = sys.argv[1:]
sys.path.insert(0, FOLDER)


HTTP = []


def client_of(kind, package, base_url, source):
    """Without a proxy of the environment: the server is on this machine. Certificates are loaded once."""
    if not HTTP:
        HTTP.append(package.DefaultHttpxClient(trust_env=False))
    return kind(base_url=base_url, api_key=source["api_key"], max_retries=0, http_client=HTTP[0])


def call_of(id_, name, arguments):
    return {"type": "call", "id": id_ or "", "name": name or "", "arguments": arguments}


def read_chat(package, source):
    client = client_of(package.OpenAI, package, source["base_url"], source)
    request = {key: value for key, value in source["request"].items() if key != "stream"}
    with client.chat.completions.stream(**request) as stream:
        completion = stream.get_final_completion()
    choice = completion.choices[0]
    message, usage = choice.message, completion.usage
    thought = getattr(message, "reasoning_content", None) or getattr(message, "reasoning", None) or ""
    calls = [call_of(call.id, call.function.name, call.function.arguments) for call in message.tool_calls or []]
    return {
        "items": [
            {"type": "reasoning", "text": thought},
            {"type": "text", "text": message.content or ""},
            *calls,
        ],
        "finish": choice.finish_reason,
        "usage": usage and {"input": usage.prompt_tokens, "output": usage.completion_tokens},
        "error": None,
    }


def read_responses(package, source):
    client = client_of(package.OpenAI, package, source["base_url"], source)
    request = {key: value for key, value in source["request"].items() if key != "stream"}
    with client.responses.stream(**request) as stream:
        response = stream.get_final_response()
    items = []
    for item in response.output:
        if item.type == "function_call":
            items.append(call_of(item.call_id, item.name, item.arguments))
            continue
        kind = "reasoning" if item.type == "reasoning" else "text"
        parts = [*(getattr(item, "summary", None) or []), *(getattr(item, "content", None) or [])]
        items.extend({"type": kind, "text": getattr(part, "text", "") or ""} for part in parts)
    usage, error = response.usage, response.error
    return {
        "items": items,
        "finish": response.status,
        "usage": usage and {"input": usage.input_tokens, "output": usage.output_tokens},
        "error": error and error.message,
    }


def read_messages(package, source):
    client = client_of(package.Anthropic, package, source["base_url"].removesuffix("/v1"), source)
    request = {key: value for key, value in source["request"].items() if key != "stream"}
    with client.messages.stream(**request) as stream:
        message = stream.get_final_message()
    items = []
    for block in message.content:
        if block.type == "text":
            items.append({"type": "text", "text": block.text})
        elif block.type == "thinking":
            items.append({"type": "reasoning", "text": block.thinking})
        elif block.type == "tool_use":
            items.append(call_of(block.id, block.name, block.input))
    usage = message.usage
    cached = (usage.cache_read_input_tokens or 0) + (usage.cache_creation_input_tokens or 0)
    return {
        "items": items,
        "finish": message.stop_reason,
        "usage": {"input": usage.input_tokens + cached, "output": usage.output_tokens},
        "error": None,
    }


READERS = {"openai": {"chat": read_chat, "responses": read_responses}, "anthropic": {"messages": read_messages}}[NAME]


def main():
    package = __import__(NAME)
    for line in sys.stdin:
        message = json.loads(line)
        if message["cmd"] == "stop":
            break
        if message["cmd"] == "start":
            answer = {
                "protocol": 1,
                "name": f"{NAME} (Python)",
                "version": package.__version__,
                "language": "python",
                "supports": [{"operations": ["client"], "apis": list(READERS)}],
            }
        else:
            source = message["input"]
            try:
                output = READERS[source["api"]](package, source)
            except Exception as error:  # What a client raises is its answer.
                text = " ".join(str(error).split())
                output = {"items": [], "error": f"{type(error).__name__}: {text}"}
            answer = {"seq": message["seq"], "output": output}
        print(json.dumps(answer, default=str), flush=True)


main()
