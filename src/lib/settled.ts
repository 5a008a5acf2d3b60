/** A promise whose value is known already, said as React notes it on one that it has waited for: `use` reads it without suspending. */
export const settled = <Value>(promise: Promise<Value>, value: Value): Promise<Value> =>
  Object.assign(promise, { status: 'fulfilled', value })
