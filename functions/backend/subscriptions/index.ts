import { deploySubscription } from './deploy.ts'

export const routes = [deploySubscription]
