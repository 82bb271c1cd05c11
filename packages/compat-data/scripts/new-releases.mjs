// Looks for releases of engines that their engine.json does not list, adds them there, and prints `rows=NAME@VERSION NAME@VERSION`, as the
// output of a step of a workflow. `--dry-run` writes nothing. Registries are asked at the addresses of their clients' variables.
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: { 'dry-run': { type: 'boolean' }, adapters: { type: 'string' } },
})
const adapters = resolve(values.adapters ?? join(import.meta.dirname, '../../conformance/adapters'))
const BASES = {
  python3: (process.env.PIP_INDEX_URL ?? 'https://pypi.org/simple').replace(/\/$/, ''),
  node: (process.env.npm_config_registry ?? 'https://registry.npmjs.org').replace(/\/$/, ''),
  go: (process.env.GOPROXY ?? 'https://proxy.golang.org').split(/[,|]/)[0].replace(/\/$/, ''),
  cargo: (process.env.CALLSPEC_CRATES ?? 'https://crates.io/api/v1/crates').replace(/\/$/, ''),
}

const rows = []
for (const name of (await readdir(adapters)).toSorted()) {
  const path = join(adapters, name, 'engine.json')
  const text = await readFile(path, 'utf8').catch(() => null)
  if (text === null) continue
  const engine = JSON.parse(text)
  const release = await newestRelease(engine).catch((error) => {
    // One registry that does not answer does not stop the others.
    console.error(`${name}: ${error.message}`)
    return null
  })
  if (release === null || !isNewer(release.version, engine.versions[0].version)) continue
  rows.push(`${name}@${release.version}`)
  if (values['dry-run']) continue
  await writeFile(path, withRelease(text, release))
}
console.log(`rows=${rows.join(' ')}`)

/** The newest release that is no pre-release, with its day. */
async function newestRelease(engine) {
  const named = engine.install.flat().find((word) => word.includes('{version}'))
  if (named === undefined) return null
  const name = packageIn(named)
  switch (engine.needs) {
    case 'python3': {
      const { files } = await ask(`${BASES.python3}/${name}/`, { accept: 'application/vnd.pypi.simple.v1+json' })
      return newestOf(files.map((file) => ({ version: versionOfFile(file.filename), time: file['upload-time'] })))
    }
    case 'node': {
      const { time } = await ask(`${BASES.node}/${name.replace('/', '%2f')}`)
      return newestOf(Object.entries(time).map(([version, when]) => ({ version, time: when })))
    }
    case 'go': {
      const { Version, Time, Origin } = await ask(
        `${BASES.go}/${name.replaceAll(/[A-Z]/g, (sign) => `!${sign.toLowerCase()}`)}/@latest`,
      )
      const release = newestOf([{ version: Version.replace(/^v/, ''), time: Time }])
      return release === null ? null : { ...release, ...(Origin?.Hash && { commit: Origin.Hash }) }
    }
    case 'cargo': {
      const { versions } = await ask(`${BASES.cargo}/${name}`)
      return newestOf(versions.map(({ num, created_at: time }) => ({ version: num, time })))
    }
    default:
      throw new Error(`needs "${engine.needs}", which this script cannot ask`)
  }
}

/** `vllm=={version}`, `github.com/ollama/ollama@v{version}`, `@scope/name@{version}`. */
function packageIn(word) {
  return word.replace(/(?:==|@v?|=)\{version\}.*$/, '')
}

/** `vllm-0.33.0-cp38-….whl` or `vllm-0.33.0.tar.gz`. */
function versionOfFile(name) {
  return /^.+?-(\d[^-]*?)(?:-.*\.whl|\.tar\.gz|\.zip)$/.exec(name)?.[1] ?? ''
}

function newestOf(releases) {
  const final = releases.filter(
    ({ version, time }) => /^\d+(?:\.\d+)*(?:\.?post\d+)?$/.test(version) && /^\d{4}-\d{2}-\d{2}/.test(time ?? ''),
  )
  const [newest] = final.toSorted((one, other) => (isNewer(one.version, other.version) ? -1 : 1))
  return newest === undefined ? null : { version: newest.version, date: newest.time.slice(0, 10) }
}

function isNewer(one, other) {
  const [left, right] = [one, other].map((version) => version.match(/\d+/g).map(Number))
  for (let at = 0; at < Math.max(left.length, right.length); at += 1) {
    const difference = (left[at] ?? 0) - (right[at] ?? 0)
    if (difference !== 0) return difference > 0
  }
  return false
}

async function ask(address, headers = {}) {
  const response = await fetch(address, {
    headers: { 'user-agent': 'callspec', ...headers },
    signal: AbortSignal.timeout(30_000),
  })
  if (!response.ok) throw new Error(`${address} answered ${response.status}`)
  return response.json()
}

/** The text of an engine.json with one more version; everything else stays as it is written. */
function withRelease(text, release) {
  const at = /"versions": \[\n(\s*)/.exec(text)
  if (at === null) throw new Error('its versions are not a list over several lines')
  const start = at.index + at[0].length
  const entry = `{ ${Object.entries(release)
    .map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`)
    .join(', ')} }`
  return `${text.slice(0, start)}${entry},\n${at[1]}${text.slice(start)}`
}
