import { DecryptCommand, GenerateDataKeyCommand, KMSClient } from '@aws-sdk/client-kms'
import { once } from '../once.ts'

/** The purpose of a data key. KMS decrypts it only with the same context, and logs the context of each call. */
type EncryptionContext = Readonly<Record<string, string>>

/** Data keys of 256 bits, each generated for one secret and stored encrypted together with it. */
export interface DataKeys {
  make(context: EncryptionContext): Promise<DataKey>
  /** @throws Error if the key was generated for another context or under another KMS key */
  open(sealed: Uint8Array, context: EncryptionContext): Promise<Uint8Array<ArrayBuffer>>
}

interface DataKey {
  /** The plain key, which the caller must overwrite after use. */
  plain: Uint8Array<ArrayBuffer>
  sealed: Uint8Array
}

export interface KmsOptions {
  /** The ARN or id of a symmetric key of KMS. */
  keyId: string
  /** A KMS endpoint other than AWS's. */
  endpoint?: string | undefined
}

/** The timeouts of one attempt. KMS usually responds within milliseconds. */
const timeouts = { connectionTimeout: 2_000, requestTimeout: 5_000, throwOnRequestTimeout: true }

/** Creates data keys with KMS (GenerateDataKey, Decrypt); the client is created with the first key. */
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
      if (plain === undefined || sealed === undefined) throw new Error('KMS returned no key')
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
      if (plain === undefined) throw new Error('KMS returned no key')
      return own(plain)
    },
  }
}

/** Copies bytes into separate memory, and overwrites the buffer of the SDK. */
function own(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const copy = new Uint8Array(bytes)
  bytes.fill(0)
  return copy
}
