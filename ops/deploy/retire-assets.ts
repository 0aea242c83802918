import { readFile } from 'node:fs/promises'
import {
  CopyObjectCommand,
  GetObjectTaggingCommand,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3'
import * as z from 'zod'
import { consoleCaching, consoleContentType, retiredAssets } from '#shared/manifest/console.ts'

const outputs = z.object({ console: z.string() })
const built = z.object({ files: z.array(z.object({ path: z.string() })) })

/**
 * Tags the assets that only earlier deployments have, each once. S3 deletes tagged assets by their age. Copying an asset
 * onto itself resets its age. If a later deployment has the asset again, it uploads the asset without the tag.
 * @returns the number of newly tagged assets
 */
export async function retireAssets(): Promise<number> {
  // SST writes this file after each deployment.
  const { console: Bucket } = outputs.parse(await read('.sst/outputs.json'))
  const { files } = built.parse(await read('dist/console/files.json'))
  const current = new Set(files.map(({ path }) => path))
  const s3 = new S3Client({})
  let count = 0
  for await (const { Contents = [] } of paginateListObjectsV2(
    { client: s3 },
    { Bucket, Prefix: 'assets/' },
  ))
    for (const { Key = '' } of Contents) {
      if (current.has(Key)) continue
      const { TagSet = [] } = await s3.send(new GetObjectTaggingCommand({ Bucket, Key }))
      if (TagSet.some((tag) => tag.Key === retiredAssets.tag)) continue
      await s3.send(
        new CopyObjectCommand({
          Bucket,
          Key,
          CopySource: `${Bucket}/${Key}`,
          // S3 refuses a copy onto itself that changes nothing but tags.
          MetadataDirective: 'REPLACE',
          ContentType: consoleContentType(Key),
          CacheControl: consoleCaching.asset,
          TaggingDirective: 'REPLACE',
          Tagging: `${retiredAssets.tag}=true`,
        }),
      )
      count += 1
    }
  return count
}

async function read(file: string): Promise<unknown> {
  return JSON.parse(await readFile(file, 'utf8')) as unknown
}
