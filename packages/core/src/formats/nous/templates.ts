import { CODE_CLOSE, CODE_OPEN, TOOL_CALL_CLOSE, TOOL_CALL_OPEN } from './tokens.ts'

const TOOLS = `# Tools

You may call one or more functions to assist with the user query.

You are provided with function signatures within <tools></tools> XML tags:
<tools>
{tool_descs}
</tools>

For each function call, return a json object with function name and arguments within ${TOOL_CALL_OPEN}${TOOL_CALL_CLOSE} XML tags:
${TOOL_CALL_OPEN}
{{"name": <function-name>, "arguments": <args-json-object>}}
${TOOL_CALL_CLOSE}`

const CODE = `For code parameters, use placeholders first, and then put the code within ${CODE_OPEN}${CODE_CLOSE} XML tags, such as:
${TOOL_CALL_OPEN}
{{"name": <function-name>, "arguments": {{"code": ""}}}}
${CODE_OPEN}
Here is the code.
${CODE_CLOSE}
${TOOL_CALL_CLOSE}`

/**
 * The tool section with the field `tool_descs` and doubled braces (spec §7.1). With code mode it says how code is
 * written. Language and parallel calls change nothing.
 */
export function nousTemplate({ codeMode }: { readonly codeMode: boolean }): string {
  return codeMode ? `${TOOLS}\n${CODE}` : TOOLS
}
