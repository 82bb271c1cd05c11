/**
 * What stands before the tools in prompts of R1, from vLLM's template `tool_chat_template_deepseekr1.jinja` at 2dbd5be
 * (Apache-2.0; sha256 fe055ac3…).
 */
export const R1_TOOLS = `You are a helpful assistant with tool calling capabilities. When a tool call is needed, you MUST use the following format to issue the call:
<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>FUNCTION_NAME
\`\`\`json
{"param1": "value1", "param2": "value2"}
\`\`\`<｜tool▁call▁end｜><｜tool▁calls▁end｜>

Make sure the JSON is valid.## Tools

### Function

You have the following functions available:

`
