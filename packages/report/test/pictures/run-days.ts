/**
 * On which day each scoreboard in this repository was made, by implementation, version and version of the cases: scoreboards hold no
 * time, so that equal runs leave equal files. A commit of another run adds its date here.
 */
export const RUN_DAYS: Readonly<Record<string, string>> = {
  'LangChain 1.0.50, core 1.4.0 cases 0.5.0': '2026-11-23',
  '@ai-sdk-tool/parser 4.1.26 cases 0.5.0': '2026-11-23',
  'llama.cpp b10257 cases 0.5.0': '2026-11-23',
  'llamaindex ReActAgent 0.8.37 cases 0.5.0': '2026-11-23',
  'llamaindex ReActAgent 0.12.1 cases 0.5.0': '2026-11-28',
}
