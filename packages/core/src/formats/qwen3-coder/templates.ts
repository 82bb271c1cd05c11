/**
 * The texts of the prompt, from the chat template of Qwen3-Coder (Apache-2.0; sha256 5a38bfa0…6ab06).
 */

/** What the system turn says where the conversation has no system message. */
export const DEFAULT_SYSTEM = 'You are Qwen, a helpful AI assistant that can interact with a computer to solve tasks.'

/** What stands before the tools. */
export const TOOLS_HEAD = '\n\n# Tools\n\nYou have access to the following functions:\n\n<tools>'

/** What stands behind the tools. */
export const INSTRUCTION = `

If you choose to call a function ONLY reply in the following format with NO suffix:

<tool_call>
<function=example_function_name>
<parameter=example_parameter_1>
value_1
</parameter>
<parameter=example_parameter_2>
This is the value for the second parameter
that can span
multiple lines
</parameter>
</function>
</tool_call>

<IMPORTANT>
Reminder:
- Function calls MUST follow the specified format: an inner <function=...></function> block must be nested within <tool_call></tool_call> XML tags
- Required parameters MUST be specified
- You may provide optional reasoning for your function call in natural language BEFORE the function call, but NOT after
- If there is no function call available, answer the question like normal with your current knowledge and do not tell the user about function calls
</IMPORTANT>`
