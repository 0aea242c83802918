import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import type { Settings } from '../config/settings.ts'
import { once } from '../once.ts'
import type { ObjectLinks, UploadLinks } from './port.ts'

type LinkSettings = Pick<Settings, 'OBJECT_LINKS_KEY' | 'OBJECTS_BUCKET' | 'WEB_URL'>

/**
 * Presigned S3 links, signed with the function's own credentials. On one machine the web surface serves them, and a
 * separate key signs them, since a link shows the id of its signing key.
 */
export function s3Links(settings: LinkSettings): ObjectLinks {
  const client = once(() => signingClient(settings))
  const { OBJECTS_BUCKET: Bucket } = settings
  return {
    to: (Key, { seconds: expiresIn, fileName, contentType }) =>
      getSignedUrl(
        client(),
        new GetObjectCommand({
          Bucket,
          Key,
          ResponseContentDisposition: `attachment; ${fileNameOf(fileName)}`,
          ResponseContentType: contentType,
        }),
        { expiresIn },
      ),
  }
}

/** Presigned links that store one object of an exact size. They are signed as `s3Links` signs its links. */
export function s3UploadLinks(settings: LinkSettings): UploadLinks {
  const client = once(() => signingClient(settings))
  return {
    async forUpload(Key, { seconds: expiresIn, bytes: ContentLength }) {
      const { OBJECTS_BUCKET: Bucket } = settings
      // With If-None-Match, a second upload cannot replace content that is already in use.
      const command = new PutObjectCommand({ Bucket, Key, ContentLength, IfNoneMatch: '*' })
      const url = await getSignedUrl(client(), command, { expiresIn })
      return { url, headers: { 'if-none-match': '*' } }
    },
  }
}

function signingClient({ OBJECT_LINKS_KEY: secretAccessKey, WEB_URL: endpoint }: LinkSettings) {
  // Otherwise the link would contain the checksum of an empty body.
  const requestChecksumCalculation = 'WHEN_REQUIRED'
  if (secretAccessKey === undefined) return new S3Client({ requestChecksumCalculation })
  const credentials = { accessKeyId: 'links', secretAccessKey }
  return new S3Client({ endpoint, forcePathStyle: true, credentials, requestChecksumCalculation })
}

/** Returns the file name as a parameter of Content-Disposition (RFC 6266). */
function fileNameOf(name: string): string {
  if (/^[\w. -]+$/.test(name)) return `filename="${name}"`
  // RFC 8187 allows fewer characters than encodeURIComponent leaves as they are.
  const escape = (one: string) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`
  return `filename*=UTF-8''${encodeURIComponent(name.toWellFormed()).replaceAll(/['()*]/g, escape)}`
}
