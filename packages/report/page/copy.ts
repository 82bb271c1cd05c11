import { say } from './dom.ts'

/** Buttons that put the text of an element into the clipboard; where there is none, the text is marked to be copied by hand. */
export function startCopying(page: Document): void {
  for (const button of page.querySelectorAll<HTMLButtonElement>('button[data-copy]'))
    button.addEventListener('click', () => {
      const source = page.getElementById(button.dataset['copy'] ?? '')
      if (source !== null) void copied(source).then((words) => button.replaceChildren(words))
    })
}

async function copied(source: HTMLElement): Promise<DocumentFragment> {
  try {
    await navigator.clipboard.writeText(source.textContent)
    return say('Copied ✓', '已复制 ✓')
  } catch {
    source.closest('details')?.setAttribute('open', '')
    getSelection()?.selectAllChildren(source)
    return say('Marked below: copy it', '已在下方选中，请复制')
  }
}
