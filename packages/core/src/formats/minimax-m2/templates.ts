/** The texts of the prompt, from the chat template of MiniMax-M2 (MIT; sha256 967ff7e3…ea001). */

/** What the system turn says where the conversation has no system message. */
export const DEFAULT_SYSTEM = 'You are a helpful assistant.'

/** What stands before the tools. */
export const TOOLS_HEAD = `

# Tools
You may call one or more tools to assist with the user query.
Here are the tools available in JSONSchema format:

<tools>
`

/** What stands behind the tools. */
export const TOOLS_TAIL = `</tools>

When making tool calls, use XML format to invoke tools and pass parameters:

`

/** The example of a call. */
export const EXAMPLE = `<minimax:tool_call>
<invoke name="tool-name-1">
<parameter name="param-key-1">param-value-1</parameter>
<parameter name="param-key-2">param-value-2</parameter>
...
</invoke>
</minimax:tool_call>`
