import type { CommandEntry } from './command.ts'

/** Every command. Each is loaded only when it is asked for: `callspec --help` must not wait for the evaluation. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'init',
    summary: 'a configuration, a case and a workflow to begin',
    load: async () => (await import('./commands/init.ts')).command,
  },
  {
    name: 'new',
    summary: 'a format to begin with',
    load: async () => (await import('./commands/new.ts')).command,
  },
  {
    name: 'render',
    summary: 'messages and tools in, the exact prompt out',
    load: async () => (await import('./commands/render.ts')).command,
  },
  {
    name: 'parse',
    summary: 'model text in, messages, calls and issues out',
    load: async () => (await import('./commands/parse.ts')).command,
  },
  {
    name: 'formats',
    summary: 'the formats, and which one a model speaks',
    load: async () => (await import('./commands/formats.ts')).command,
  },
  {
    name: 'identify',
    summary: 'which format replies are in',
    load: async () => (await import('./commands/identify.ts')).command,
  },
  {
    name: 'conformance',
    summary: 'run recorded cases against an implementation',
    load: async () => (await import('./commands/conformance.ts')).command,
  },
  {
    name: 'harness',
    summary: 'our own implementation behind the protocol',
    load: async () => (await import('./commands/harness.ts')).command,
  },
  {
    name: 'fuzz',
    summary: 'search for texts that break a parser',
    load: async () => (await import('./commands/fuzz.ts')).command,
  },
  {
    name: 'eval',
    summary: 'compare formats on tasks, over HTTP',
    load: async () => (await import('./commands/eval.ts')).command,
  },
  {
    name: 'doctor',
    summary: 'examine an endpoint before it is evaluated',
    load: async () => (await import('./commands/doctor.ts')).command,
  },
  {
    name: 'proxy',
    summary: 'record live traffic, and check its streams',
    load: async () => (await import('./commands/proxy.ts')).command,
  },
  {
    name: 'report',
    summary: 'print a run again, or write it in other forms',
    load: async () => (await import('./commands/report.ts')).command,
  },
  {
    name: 'compare',
    summary: 'hold two runs against each other',
    load: async () => (await import('./commands/compare.ts')).command,
  },
  {
    name: 'baseline',
    summary: 'keep a run as what later ones are held against',
    load: async () => (await import('./commands/baseline.ts')).command,
  },
  {
    name: 'rescore',
    summary: 'score a recorded run anew, without the model',
    load: async () => (await import('./commands/rescore.ts')).command,
  },
  {
    name: 'merge',
    summary: 'put the parts of a run together',
    load: async () => (await import('./commands/merge.ts')).command,
  },
  {
    name: 'worker',
    summary: 'play episodes that a queue hands out',
    load: async () => (await import('./commands/worker.ts')).command,
  },
  {
    name: 'queue',
    summary: 'what a queue is doing, and how to stop it',
    load: async () => (await import('./commands/queue.ts')).command,
  },
  {
    name: 'batch',
    summary: 'let a batch service do the asking',
    load: async () => (await import('./commands/batch.ts')).command,
  },
  {
    name: 'replay',
    summary: 'play a run from a tape, and ask nobody',
    load: async () => (await import('./commands/replay.ts')).command,
  },
  {
    name: 'tasks',
    summary: 'the tasks of the evaluation, or of your own suite',
    load: async () => (await import('./commands/tasks.ts')).command,
  },
  {
    name: 'sim',
    summary: 'simulated models with known faults, served',
    load: async () => (await import('./commands/sim.ts')).command,
  },
  {
    name: 'score',
    summary: 'parse success of recorded model outputs',
    load: async () => (await import('./commands/score.ts')).command,
  },
  {
    name: 'tutorial',
    summary: "MetaGPT's tutorial assistant on scripted answers",
    load: async () => (await import('./commands/tutorial.ts')).command,
  },
  {
    name: 'transcripts',
    summary: 'prompts that documents print, produced anew',
    load: async () => (await import('./commands/transcripts.ts')).command,
  },
  {
    name: 'golden',
    summary: 'regression test of your own prompt templates',
    load: async () => (await import('./commands/golden.ts')).command,
  },
  {
    name: 'template',
    summary: 'what a chat template really shows to the model',
    load: async () => (await import('./commands/template.ts')).command,
  },
  {
    name: 'playground',
    summary: 'a page to read replies and write prompts on',
    load: async () => (await import('./commands/playground.ts')).command,
  },
  {
    name: 'completion',
    summary: 'a script that completes commands in bash or zsh',
    load: async () => (await import('./commands/completion.ts')).completionOf(COMMANDS),
  },
]
