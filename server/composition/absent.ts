/** A service that a process does without: any use of it fails with this sentence. */
export const absent = <T extends object>(why: string): T =>
  new Proxy({} as T, {
    get: () => {
      throw new Error(why)
    },
  })
