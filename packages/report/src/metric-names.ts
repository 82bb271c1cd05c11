import type { PairedMetric } from '@callspec/eval'
import type { Words } from './words.ts'

/** What people call the figures that are compared. */
export const METRIC_NAMES: Readonly<Record<PairedMetric, Words>> = {
  task_success: { en: 'task success', zh: '任务成功率' },
  clean_stop_rate: { en: 'clean stops', zh: '正常结束率' },
  strict_parse_rate: { en: 'strict parse', zh: '严格解析率' },
  parse_rate: { en: 'parse with repairs', zh: '修复后解析率' },
  calls_per_episode: { en: 'calls per episode', zh: '每次运行的调用' },
  turns_per_episode: { en: 'turns per episode', zh: '每次运行的轮数' },
  tokens_per_episode: { en: 'tokens per episode', zh: '每次运行的 token' },
}
