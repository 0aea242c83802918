import {
  DeleteObjectCommand,
  GetObjectCommand,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import type { Settings } from '../config/settings.ts'
import { once } from '../once.ts'
import type { WholeObjects } from './port.ts'

/** S3 objects that fit into memory. */
export function s3WholeObjects({
  S3_ENDPOINT: endpoint,
  OBJECTS_BUCKET: Bucket,
}: Pick<Settings, 'S3_ENDPOINT' | 'OBJECTS_BUCKET'>): WholeObjects {
  const client = once(
    () => new S3Client(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
  )
  return {
    async put(Key, Body) {
      await client().send(new PutObjectCommand({ Bucket, Key, Body }))
    },
    async get(Key) {
      try {
        const { Body } = await client().send(new GetObjectCommand({ Bucket, Key }))
        return await Body?.transformToByteArray()
      } catch (error) {
        if (error instanceof NoSuchKey) return undefined
        throw error
      }
    },
    async remove(Key) {
      await client().send(new DeleteObjectCommand({ Bucket, Key }))
    },
  }
}
