/** A maker's prompt that shows no tools is blamed for what a model makes of it; the simulated models read it all the same. */
export function withoutPromptsFaults(differences: readonly string[]): readonly string[] {
  return differences.filter((difference) => !PROMPTS_FAULT.test(difference))
}

const PROMPTS_FAULT =
  /(?:^[^;]*: caused by (?:model|parser) \([^)]*\), blamed on prompt|blames: injected (?:model|parser) \([^)]*\), measured prompt)$/
