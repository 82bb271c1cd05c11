import type { RunConfig, RunModelConfig } from '@callspec/eval'
import type { EvalModel } from './models.ts'
import type { EvalSettings } from './settings.ts'

/** The settings as the runner wants them; servers of simulated models are not among them. */
export function runConfigOf(settings: EvalSettings): RunConfig {
  return {
    models: settings.models.map(runModel),
    formats: settings.formats,
    ownFormats: settings.ownFormats,
    ...(settings.modules === undefined ? {} : { modules: settings.modules }),
    sameBuild: settings.sameBuild,
    suite: settings.suite,
    tasks: settings.tasks.map((task) => task.id),
    repeat: settings.repeat,
    seed: settings.seed,
    shard: settings.shard,
    stops: settings.stops,
    api: settings.api,
    prompt: settings.prompt,
    stream: settings.stream,
    parameters: settings.maxTokens === null ? {} : { max_tokens: settings.maxTokens },
    concurrency: settings.concurrency,
    timeoutMs: settings.timeoutMs,
    maxRetries: settings.maxRetries,
    waitForServerMs: settings.waitForServerMs,
    prices: Object.fromEntries(settings.models.flatMap(({ id, price }) => (price === null ? [] : [[id, price]]))),
    reports: settings.reports,
    sharedFolder: settings.sharedFolder,
  }
}

function runModel({ id, name, endpoint, parameters }: EvalModel): RunModelConfig {
  switch (endpoint.kind) {
    case 'simulated':
      return { id, name, parameters }
    case 'elsewhere':
      return { id, name, parameters, baseUrl: 'elsewhere' }
    case 'server':
      return endpoint.all.length > 1
        ? { id, name, parameters, baseUrl: endpoint.all }
        : { id, name, parameters, baseUrl: endpoint.baseUrl, apiKey: endpoint.apiKey, headers: endpoint.headers }
  }
}
