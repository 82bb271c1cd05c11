/** The texts of the prompt, from the chat template of Seed-OSS (Apache-2.0; sha256 3f9e0dc4…30d3). */

/** What the system turn says where there are tools and no system message. */
export const DEFAULT_SYSTEM =
  'You are Doubao, a helpful AI assistant. You may call one or more functions to assist with the user query.'

/** What stands before the tools as JSON. */
export const JSON_HEAD = `
Tool List:
You are authorized to use the following tools (described in JSON Schema format). Before performing any task, you must decide how to call them based on the descriptions and parameters of these tools.
`

/** What stands behind the tools. */
export const INSTRUCTION = `
工具调用请遵循如下格式:
<seed:tool_call>
<function=example_function_name>
<parameter=example_parameter_1>value_1</parameter>
<parameter=example_parameter_2>This is the value for the second parameter
that can span
multiple lines</parameter>
</function>
</seed:tool_call>
`

/** The system turn that forbids thinking. */
export const NO_BUDGET = `You are an intelligent assistant that can answer questions in one step without the need for reasoning and thinking, that is, your thinking budget is 0. Next, please skip the thinking process and directly start answering the user's questions.
`

/** What the finished thought of a reply without a budget says. */
export const NO_BUDGET_THOUGHT = 'The current thinking budget is 0, so I will directly start answering the question.'

/** The system turn that names the budget, and how often the model is to look at what is left of it. */
export function budgetText(budget: string, interval: number): string {
  return `You are an intelligent assistant with reflective ability. In the process of thinking and reasoning, you need to strictly follow the thinking budget, which is ${budget}. That is, you need to complete your thinking within ${budget} tokens and start answering the user's questions. You will reflect on your thinking process every ${interval} tokens, stating how many tokens have been used and how many are left.
`
}
