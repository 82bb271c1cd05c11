// Made by scripts/bundle-page.js from page/*.ts; a test compares. Do not edit.

/** The script of the pages. */
export const PAGE_SCRIPT: string = "(function(){function e(e){let t=e.documentElement,n=[...e.querySelectorAll(`button[data-set-language]`)],r=e=>{t.dataset.language=e,t.lang=e;for(let t of n)t.setAttribute(`aria-pressed`,String(t.dataset.setLanguage===e))};for(let e of n)e.addEventListener(`click`,()=>r(e.dataset.setLanguage??`en`));r(t.dataset.language??`en`)}e(document)})();"

/** Its hash, as a policy names it. */
export const PAGE_SCRIPT_HASH: string = 'sha256-oiuMsqM2Nz0T8dUkPJrQcXtNP2qOQnk85OvVntrQQhw='
