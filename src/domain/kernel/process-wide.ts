/**
 * One value for the whole process. The framework bundles its routes apart, so a module's own variable may exist once for each of them:
 * caches would be kept as often, and threads started as often.
 */
export function processWide<T>(name: string, make: () => T): T {
  const key = Symbol.for(`garden-bloom.${name}`)
  const holder = globalThis as { [key]?: T }
  holder[key] ??= make()
  return holder[key]
}
