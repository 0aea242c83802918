import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import type { Settings } from '../config/settings.ts'
import { once } from '../once.ts'
import type { ObjectLinks } from './port.ts'

/**
 * Presigned S3 links, signed with the function's own credentials. On one machine the web surface serves them, and a
 * separate key signs them, since a link shows the id of its signing key.
 */
export function s3Links({
  OBJECT_LINKS_KEY: secretAccessKey,
  OBJECTS_BUCKET: Bucket,
  WEB_URL: endpoint,
}: Pick<Settings, 'OBJECT_LINKS_KEY' | 'OBJECTS_BUCKET' | 'WEB_URL'>): ObjectLinks {
  const client = once(() => {
    if (secretAccessKey === undefined) return new S3Client()
    const credentials = { accessKeyId: 'links', secretAccessKey }
    return new S3Client({ endpoint, forcePathStyle: true, credentials })
  })
  return {
    to: (Key, { seconds: expiresIn, fileName, contentType }) =>
      getSignedUrl(
        client(),
        new GetObjectCommand({
          Bucket,
          Key,
          ResponseContentDisposition: `attachment; filename="${fileName}"`,
          ResponseContentType: contentType,
        }),
        { expiresIn },
      ),
  }
}
