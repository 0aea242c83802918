import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as z from 'zod'
import { readJson, sendJson } from '#stacks/local/server/read-json.ts'

const context = z.record(z.string(), z.string()).default({})
const generate = z.object({
  KeyId: z.string(),
  KeySpec: z.literal('AES_256'),
  EncryptionContext: context,
})
const decrypt = z.object({
  KeyId: z.string().optional(),
  CiphertextBlob: z.base64(),
  EncryptionContext: context,
})

export interface Kms {
  endpoint: string
  /** The requests so far, oldest first. */
  asked: { action: string; context: Record<string, string> }[]
  close(): Promise<void>
}

/**
 * The two actions of KMS that wallets need, over its protocol (JSON 1.1). Like KMS, it binds a ciphertext to its
 * encryption context, and returns InvalidCiphertextException, without details, for another context.
 */
export async function startKms(keyId: string): Promise<Kms> {
  const master = randomBytes(32)
  const asked: Kms['asked'] = []
  const aad = (given: Record<string, string>) =>
    Buffer.from(JSON.stringify(Object.entries(given).toSorted()))

  function seal(plain: Buffer, given: Record<string, string>): Buffer {
    const iv = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', master, iv).setAAD(aad(given))
    return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
  }

  function open(blob: Buffer, given: Record<string, string>): Buffer | undefined {
    const cipher = createDecipheriv('aes-256-gcm', master, blob.subarray(0, 12))
    cipher.setAAD(aad(given)).setAuthTag(blob.subarray(-16))
    try {
      return Buffer.concat([cipher.update(blob.subarray(12, -16)), cipher.final()])
    } catch {
      return undefined
    }
  }

  function answer(action: string, body: unknown): [number, object] {
    if (action === 'GenerateDataKey') {
      const { KeyId, EncryptionContext } = generate.parse(body)
      asked.push({ action, context: EncryptionContext })
      if (KeyId !== keyId) return [400, { __type: 'NotFoundException' }]
      const plain = randomBytes(32)
      const blob = seal(plain, EncryptionContext).toString('base64')
      return [200, { KeyId, Plaintext: plain.toString('base64'), CiphertextBlob: blob }]
    }
    const { CiphertextBlob, EncryptionContext } = decrypt.parse(body)
    asked.push({ action, context: EncryptionContext })
    const plain = open(Buffer.from(CiphertextBlob, 'base64'), EncryptionContext)
    if (plain === undefined) return [400, { __type: 'InvalidCiphertextException' }]
    return [200, { KeyId: keyId, Plaintext: plain.toString('base64') }]
  }

  const server = createServer((request, response) => {
    const action = String(request.headers['x-amz-target']).replace(/^TrentService\./, '')
    void readJson(request).then((body) => sendJson(response, ...answer(action, body)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
