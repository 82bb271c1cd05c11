/** The texts of the prompts, from the chat templates of GLM-4.6 and GLM-4.7 (MIT). */

/** What stands before the tools. */
export const TOOLS_HEAD = `
# Tools

You may call one or more functions to assist with the user query.

You are provided with function signatures within <tools></tools> XML tags:
<tools>
`

/** What stands behind the tools. */
export const TOOLS_TAIL = `</tools>

For each function call, output the function name and arguments within the following XML format:
`

/** The example of a call. */
export function exampleCall(feed: string): string {
  const pair = (number: number): string =>
    `<arg_key>{arg-key-${number}}</arg_key>${feed}<arg_value>{arg-value-${number}}</arg_value>${feed}`
  return `<tool_call>{function-name}${feed}${pair(1)}${pair(2)}...${feed}</tool_call>`
}
