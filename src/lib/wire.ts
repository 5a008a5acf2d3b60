/**
 * What tRPC sends and gets is JSON as it stands: inputs and views are so by their contracts, instants in them ISO texts. Said to tRPC as a
 * transformer, since without one it would describe every `unknown` of a view as a field that may be missing.
 */
const same = (value: unknown) => value
export const JSON_WIRE = { serialize: same, deserialize: same }
