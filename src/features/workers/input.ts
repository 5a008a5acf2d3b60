const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Whether a worker can have this id at all. */
export const isWorkerId = (id: string): boolean => UUID.test(id)

export const workerHref = (workerId: string): string => `/workers/${workerId}`
