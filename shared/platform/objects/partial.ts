import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  NoSuchKey,
  NotFound,
  paginateListObjectsV2,
  S3Client,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3'
import { chunks } from '../chunks.ts'
import type { Settings } from '../config/settings.ts'
import { once } from '../once.ts'
import type { ObjectPart, PartialObjects } from './port.ts'
import { s3WholeObjects } from './whole.ts'

/** S3 copies a part only from an object of more than 5 MB. A smaller part, which can be the last one, is read and sent. */
const leastCopiedBytes = 5 * 1024 * 1024 + 1

/** S3's limit of one part. */
const mostPartBytes = 5 * 1024 ** 3

/** The number of concurrent requests that copy parts. */
const copiesAtOnce = 16

/** S3 objects that are read in parts. */
export function s3PartialObjects(
  settings: Pick<Settings, 'S3_ENDPOINT' | 'OBJECTS_BUCKET'>,
): PartialObjects {
  const { S3_ENDPOINT: endpoint, OBJECTS_BUCKET: Bucket } = settings
  const client = once(
    () => new S3Client(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
  )

  async function getPart({ key: Key, offset, length }: ObjectPart) {
    if (length === 0) return new Uint8Array()
    const Range = `bytes=${offset}-${offset + length - 1}`
    try {
      const { Body } = await client().send(new GetObjectCommand({ Bucket, Key, Range }))
      return await Body?.transformToByteArray()
    } catch (error) {
      if (error instanceof NoSuchKey) return undefined
      throw error
    }
  }

  /** Stores one part of a multipart upload. @returns its ETag */
  async function putPart(upload: Upload, PartNumber: number, part: ObjectPart) {
    const { key, offset, length } = part
    if (length < leastCopiedBytes) {
      const Body = await getPart(part)
      if (Body === undefined) throw new Error(`the object ${key} does not exist`)
      const command = new UploadPartCommand({ ...upload, PartNumber, Body })
      return (await client().send(command)).ETag
    }
    const command = new UploadPartCopyCommand({
      ...upload,
      PartNumber,
      CopySource: `${Bucket}/${key}`,
      CopySourceRange: `bytes=${offset}-${offset + length - 1}`,
    })
    return (await client().send(command)).CopyPartResult?.ETag
  }

  return {
    ...s3WholeObjects(settings),
    getPart,

    async sizeOf(Key) {
      try {
        const { ContentLength } = await client().send(new HeadObjectCommand({ Bucket, Key }))
        return ContentLength
      } catch (error) {
        if (error instanceof NotFound) return undefined
        throw error
      }
    },

    async *list(Prefix) {
      for await (const page of paginateListObjectsV2({ client: client() }, { Bucket, Prefix }))
        for (const { Key: key, Size: bytes, LastModified: at } of page.Contents ?? [])
          if (key !== undefined)
            yield { key, bytes: bytes ?? 0, modifiedAt: at?.getTime() ?? Date.now() }
    },

    async compose(Key, parts) {
      const { UploadId } = await client().send(new CreateMultipartUploadCommand({ Bucket, Key }))
      const upload = { Bucket, Key, UploadId }
      try {
        const Parts: { PartNumber: number; ETag: string | undefined }[] = []
        const numbered = joined(parts).map((part, i) => ({ part, PartNumber: i + 1 }))
        for (const some of chunks(numbered, copiesAtOnce))
          Parts.push(
            ...(await Promise.all(
              some.map(async ({ part, PartNumber }) => ({
                PartNumber,
                ETag: await putPart(upload, PartNumber, part),
              })),
            )),
          )
        const MultipartUpload = { Parts }
        await client().send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload }))
      } catch (error) {
        await client().send(new AbortMultipartUploadCommand(upload))
        throw error
      }
    },
  }
}

interface Upload {
  Bucket: string
  Key: string
  UploadId: string | undefined
}

/** Joins parts that follow each other in one object. */
function joined(parts: readonly ObjectPart[]): ObjectPart[] {
  const all: ObjectPart[] = []
  for (const part of parts) {
    const last = all.at(-1)
    const follows = last?.key === part.key && last.offset + last.length === part.offset
    if (last !== undefined && follows && last.length + part.length <= mostPartBytes)
      last.length += part.length
    else all.push({ ...part })
  }
  return all
}
