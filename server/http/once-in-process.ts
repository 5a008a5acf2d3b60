/** Does it the first time that this name comes. The framework has copies of its own of our files, so their variables do not tell. */
export function onceInProcess(name: string, work: () => void): void {
  const key = Symbol.for(`garden.${name}`)
  const own = globalThis as { [key]?: true }
  if (own[key]) return
  own[key] = true
  work()
}
