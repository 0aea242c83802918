import { Readable } from 'node:stream'
import { S3Client } from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import type { Settings } from '../config/settings.ts'
import { once } from '../once.ts'
import type { ObjectStore } from './port.ts'

/** The size of a part. S3 allows 10,000 parts, so files can have 80 GB. Two parts are in memory at the same time. */
const partBytes = 8 * 1024 * 1024

/** Files in S3. The bucket's lifecycle rule removes the parts of interrupted uploads. */
export function s3Objects({
  S3_ENDPOINT: endpoint,
  OBJECTS_BUCKET: Bucket,
}: Pick<Settings, 'S3_ENDPOINT' | 'OBJECTS_BUCKET'>): ObjectStore {
  const client = once(
    () => new S3Client(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
  )
  return {
    async put(Key, body, { contentType: ContentType }) {
      let bytes = 0
      const counted = async function* () {
        for await (const chunk of body) {
          bytes += chunk.length
          yield chunk
        }
      }
      const Body = Readable.from(counted())
      try {
        const params = { Bucket, Key, Body, ContentType }
        const how = { partSize: partBytes, queueSize: 2 }
        await new Upload({ client: client(), params, ...how }).done()
        return bytes
      } finally {
        // A failed upload does not read the rest of its body.
        Body.destroy()
      }
    },
  }
}
