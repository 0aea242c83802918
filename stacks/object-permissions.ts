import { objects } from './storage.ts'

const videoActions = { put: ['s3:AbortMultipartUpload', 's3:PutObject'], link: ['s3:GetObject'] }
const snapshotActions = {
  put: ['s3:PutObject'],
  write: ['s3:DeleteObject', 's3:PutObject'],
  all: ['s3:DeleteObject', 's3:GetObject', 's3:PutObject'],
}

/** Returns the statements of a grant for videos. */
export function onVideos(access: keyof typeof videoActions) {
  return [reaching('videos', videoActions[access])]
}

/** Returns the statements of a grant for restore points. */
export function onSnapshots(access: keyof typeof snapshotActions) {
  const reached = reaching('snapshots', snapshotActions[access])
  if (access !== 'all') return [reached]
  // Without the permission to list, S3 answers 403 for a missing object, and the request would be retried forever.
  return [reached, listing('snapshots')]
}

const packActions = {
  serve: ['s3:AbortMultipartUpload', 's3:GetObject', 's3:PutObject'],
  // A link gives the rights of the function that signed it.
  sync: ['s3:GetObject', 's3:PutObject'],
  settle: ['s3:DeleteObject', 's3:GetObject', 's3:PutObject'],
  collect: ['s3:DeleteObject', 's3:GetObject'],
  archive: ['s3:AbortMultipartUpload', 's3:DeleteObject', 's3:GetObject', 's3:PutObject'],
}

/** Returns the statements of a grant for the packs of agents' files. S3 answers 404 only to those who may list. */
export function onPacks(access: keyof typeof packActions) {
  return [reaching('files', packActions[access]), listing('files')]
}

/** Returns the statements of a grant for the mails of channels. */
export function onMails(access: 'read' | 'put') {
  if (access === 'put') return [reaching('mails/out', ['s3:PutObject'])]
  return [reaching('mails', ['s3:GetObject']), listing('mails')]
}

/** Allows to list a folder of the bucket. S3 sets `s3:prefix` to the key of a missing object. */
function listing(folder: 'files' | 'mails' | 'snapshots') {
  return {
    actions: ['s3:ListBucket'],
    resources: [objects.arn],
    conditions: [{ test: 'StringLike', variable: 's3:prefix', values: [`${folder}/*`] }],
  }
}

/** Allows actions on the objects below a folder of the bucket. */
function reaching(
  folder: 'files' | 'mails' | 'mails/out' | 'snapshots' | 'videos',
  actions: string[],
) {
  return { actions, resources: [$interpolate`${objects.arn}/${folder}/*`] }
}
