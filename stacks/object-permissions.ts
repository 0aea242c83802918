import { objects } from './storage.ts'

const videoActions = { put: ['s3:AbortMultipartUpload', 's3:PutObject'], link: ['s3:GetObject'] }
const snapshotActions = {
  put: ['s3:PutObject'],
  write: ['s3:DeleteObject', 's3:PutObject'],
  all: ['s3:DeleteObject', 's3:GetObject', 's3:PutObject'],
}

/** What a grant of videos allows. */
export function onVideos(access: keyof typeof videoActions) {
  return [reaching('videos', videoActions[access])]
}

/** What a grant of restore points allows. */
export function onSnapshots(access: keyof typeof snapshotActions) {
  const reached = reaching('snapshots', snapshotActions[access])
  if (access !== 'all') return [reached]
  // S3 refuses who may not list where an object is not there: a lost one would be asked for again for ever.
  return [reached, { actions: ['s3:ListBucket'], resources: [objects.arn] }]
}

/** Objects below a folder of the bucket. */
function reaching(folder: 'videos' | 'snapshots', actions: string[]) {
  return { actions, resources: [$interpolate`${objects.arn}/${folder}/*`] }
}
