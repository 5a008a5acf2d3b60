const WORKER = 'worker/'

/** The label that a Worker Node must have to answer for `worker/<label>`, `*` where any may; null for a model that no worker answers for. */
export const labelOfModel = (model: string): string | null =>
  model.startsWith(WORKER) && model.length > WORKER.length ? model.slice(WORKER.length) : null
