/**
 * The models of BFCL's release of August 2024 that were shown underscores for the dots of function names, because their
 * servers or formats forbid dots; answers are compared accordingly. In BFCL's folders `/` is written `_`.
 */
const UNDERSCORED: ReadonlySet<string> = new Set([
  ...['gpt-4o-2024-08-06-FC', 'gpt-4o-2024-05-13-FC', 'gpt-4o-mini-2024-07-18-FC', 'gpt-4-turbo-2024-04-09-FC'],
  ...['gpt-4-1106-preview-FC', 'gpt-4-0125-preview-FC', 'gpt-4-0613-FC', 'gpt-3.5-turbo-0125-FC'],
  ...['claude-3-opus-20240229-FC', 'claude-3-sonnet-20240229-FC', 'claude-3-haiku-20240307-FC'],
  ...['claude-3-5-sonnet-20240620-FC', 'open-mistral-nemo-2407-FC-Any', 'open-mistral-nemo-2407-FC-Auto'],
  ...['open-mixtral-8x22b-FC-Any', 'open-mixtral-8x22b-FC-Auto', 'mistral-large-2407-FC', 'mistral-large-2407-FC-Any'],
  ...['mistral-large-2407-FC-Auto', 'mistral-small-2402-FC', 'mistral-small-2402-FC-Any', 'mistral-small-2402-FC-Auto'],
  ...['gemini-1.0-pro', 'gemini-1.5-pro-preview-0409', 'gemini-1.5-pro-preview-0514', 'gemini-1.5-flash-preview-0514'],
  ...['meetkai_functionary-small-v3.1-FC', 'meetkai_functionary-small-v3.2-FC', 'meetkai_functionary-medium-v3.1-FC'],
  ...['NousResearch_Hermes-2-Pro-Llama-3-8B', 'NousResearch_Hermes-2-Pro-Llama-3-70B'],
  ...['NousResearch_Hermes-2-Pro-Mistral-7B', 'NousResearch_Hermes-2-Theta-Llama-3-8B'],
  ...['NousResearch_Hermes-2-Theta-Llama-3-70B', 'command-r-plus-FC', 'command-r-plus-FC-optimized'],
  ...['THUDM_glm-4-9b-chat', 'ibm-granite_granite-20b-functioncalling', 'yi-large-fc'],
])

/** Whether BFCL showed this model underscores for dots. */
export function isShownUnderscores(model: string): boolean {
  return UNDERSCORED.has(model.replaceAll('/', '_'))
}
