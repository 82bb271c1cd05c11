import type { PairedMetric } from '@callspec/eval'
import type { Words } from './words.ts'

/** What people call the figures that are compared. */
export const METRIC_NAMES: Readonly<Record<PairedMetric, Words>> = {
  task_success: { en: 'task success', zh: '任务成功率' },
  clean_stop_rate: { en: 'clean stops', zh: '正常结束率' },
  strict_parse_rate: { en: 'valid calls, strict', zh: '有效调用率（严格）' },
  parse_rate: { en: 'valid calls, with repairs', zh: '有效调用率（含修复）' },
  calls_per_episode: { en: 'calls per episode', zh: '每次运行的调用' },
  turns_per_episode: { en: 'turns per episode', zh: '每次运行的轮数' },
  tokens_per_episode: { en: 'tokens per episode', zh: '每次运行的 token' },
}
