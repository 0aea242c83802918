/** The carrier interface on workerd. */
import { env, waitUntil } from 'cloudflare:workers'
import type * as node from './node.ts'

const { AWS_REGION = '', AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '' } = env

export const credentials: typeof node.credentials = () => ({
  accessKeyId: AWS_ACCESS_KEY_ID,
  secretAccessKey: AWS_SECRET_ACCESS_KEY,
})

export const region: typeof node.region = () => AWS_REGION

export const askDatabase: typeof node.askDatabase = undefined

/** Required, because workerd cancels unfinished work when its request ends. */
export const runInBackground: typeof node.runInBackground = (work) => waitUntil(work)

export const takesLightAnswers: typeof node.takesLightAnswers = false
