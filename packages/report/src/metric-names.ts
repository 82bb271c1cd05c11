import type { PairedMetric } from '@callspec/eval'
import type { Words } from './words.ts'

/** What people call the figures that are compared. */
export const METRIC_NAMES: Readonly<Record<PairedMetric, Words>> = {
  task_success: { en: 'task success', zh: '任务成功率' },
  clean_stop_rate: { en: 'clean stops', zh: '正常结束率' },
  strict_parse_rate: { en: 'valid calls, strict', zh: '有效调用率（严格）' },
  parse_rate: { en: 'valid calls, with repairs', zh: '有效调用率（含修复）' },
  calls_per_episode: { en: 'calls, where both solved', zh: '调用次数（双方都完成时）' },
  turns_per_episode: { en: 'turns, where both solved', zh: '轮数（双方都完成时）' },
  tokens_per_episode: { en: 'tokens, where both solved', zh: 'token 数（双方都完成时）' },
}
