import { setFlagsFromString } from 'node:v8'

/**
 * Lets WebAssembly be optimised only after some hundred replies. undici reads replies with one function of 34 KB of WebAssembly; by
 * itself the engine optimises it during the first ones, on a thread beside: 0.1 s of processor time, a fifth of a run of one case. The
 * budget is read when undici opens its first connection.
 */
export function delayWasmTiering(): void {
  setFlagsFromString('--wasm-tiering-budget=1000000000')
}
