import type { PartialObjects } from '#shared/platform/objects/port.ts'

/**
 * Objects in memory.
 * @param onWrite called before each write; an error of it ends the writer as a kill does
 */
export function memoryObjects(onWrite: () => void = () => {}) {
  const stored = new Map<string, { bytes: Uint8Array; modifiedAt: number }>()
  const bytesOf = (key: string) => stored.get(key)?.bytes
  const put = async (key: string, body: Uint8Array) => {
    onWrite()
    stored.set(key, { bytes: Uint8Array.from(body), modifiedAt: Date.now() })
  }
  const objects: PartialObjects = {
    put,
    get: async (key) => bytesOf(key),
    async remove(key) {
      onWrite()
      stored.delete(key)
    },
    getPart: async ({ key, offset, length }) => bytesOf(key)?.subarray(offset, offset + length),
    sizeOf: async (key) => bytesOf(key)?.length,
    async *list(prefix) {
      for (const [key, { bytes, modifiedAt }] of [...stored].sort())
        if (key.startsWith(prefix)) yield { key, bytes: bytes.length, modifiedAt }
    },
    async compose(key, parts) {
      const pieces = parts.map(({ key: from, offset, length }) => {
        const bytes = bytesOf(from)
        if (bytes === undefined) throw new Error(`the object ${from} does not exist`)
        return bytes.subarray(offset, offset + length)
      })
      await put(key, Buffer.concat(pieces))
    },
  }
  return { objects, stored }
}
