import type { PageLanguage } from '@callspec/report'

/** The language of a page unless one is asked for: that of the terminal. */
export function pageLanguage(environment: Readonly<Record<string, string | undefined>>): PageLanguage {
  const named = environment['LC_ALL'] || environment['LC_MESSAGES'] || environment['LANG'] || ''
  return /^zh/i.test(named) ? 'zh' : 'en'
}
