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
  // Without the permission to list, S3 answers 403 for a missing object, and the request would be retried for ever.
  return [reached, { actions: ['s3:ListBucket'], resources: [objects.arn] }]
}

/** Allows actions on the objects below a folder of the bucket. */
function reaching(folder: 'videos' | 'snapshots', actions: string[]) {
  return { actions, resources: [$interpolate`${objects.arn}/${folder}/*`] }
}
