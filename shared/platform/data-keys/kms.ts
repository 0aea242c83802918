import { DecryptCommand, GenerateDataKeyCommand, KMSClient } from '@aws-sdk/client-kms'
import { once } from '../once.ts'

/** What a data key is for. KMS opens it for no other context, and its log says each. */
export type EncryptionContext = Readonly<Record<string, string>>

/** Keys of 256 bits, each made for one thing and kept sealed beside what it sealed. */
export interface DataKeys {
  make(context: EncryptionContext): Promise<DataKey>
  /** @throws Error where it was made for another context, or by another key */
  open(sealed: Uint8Array, context: EncryptionContext): Promise<Uint8Array<ArrayBuffer>>
}

export interface DataKey {
  /** To be overwritten after use. */
  plain: Uint8Array<ArrayBuffer>
  sealed: Uint8Array
}

export interface KmsOptions {
  /** The ARN or id of a symmetric key of KMS. */
  keyId: string
  /** Another engine than AWS's own. */
  endpoint?: string | undefined
}

/** As long as one try may take: KMS answers in milliseconds. */
const timeouts = { connectionTimeout: 2_000, requestTimeout: 5_000, throwOnRequestTimeout: true }

/** Data keys of KMS (GenerateDataKey, Decrypt); its client is made with the first one. */
export function kmsDataKeys({ keyId, endpoint }: KmsOptions): DataKeys {
  const client = once(
    () => new KMSClient({ requestHandler: timeouts, ...(endpoint !== undefined && { endpoint }) }),
  )
  return {
    async make(context) {
      const { Plaintext: plain, CiphertextBlob: sealed } = await client().send(
        new GenerateDataKeyCommand({
          KeyId: keyId,
          KeySpec: 'AES_256',
          EncryptionContext: { ...context },
        }),
      )
      if (plain === undefined || sealed === undefined) throw new Error('KMS answered without a key')
      return { plain: own(plain), sealed }
    },
    async open(sealed, context) {
      const { Plaintext: plain } = await client().send(
        new DecryptCommand({
          KeyId: keyId,
          CiphertextBlob: sealed,
          EncryptionContext: { ...context },
        }),
      )
      if (plain === undefined) throw new Error('KMS answered without a key')
      return own(plain)
    },
  }
}

/** In memory of its own: what the SDK read it into is overwritten at once. */
function own(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const copy = new Uint8Array(bytes)
  bytes.fill(0)
  return copy
}
