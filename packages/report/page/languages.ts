/** The buttons that show the page in another language. */
export function startLanguages(page: Document): void {
  const root = page.documentElement
  const buttons = [...page.querySelectorAll<HTMLButtonElement>('button[data-set-language]')]
  const show = (language: string): void => {
    root.dataset['language'] = language
    root.lang = language
    for (const button of buttons)
      button.setAttribute('aria-pressed', String(button.dataset['setLanguage'] === language))
  }
  for (const button of buttons) button.addEventListener('click', () => show(button.dataset['setLanguage'] ?? 'en'))
  show(root.dataset['language'] ?? 'en')
}
