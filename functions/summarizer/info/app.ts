import { createApp } from '../../../shared/http/app.ts'
import { routes } from './index.ts'

/** The app itself knows no runtime: Lambda and workerd each bring their own adapter. */
export const app = createApp({
  surface: 'summarizer',
  name: 'summarizer-info',
  routes,
  // It stands on nothing, so there is nothing to wait for.
  services: { probes: {} },
  settings: {},
})
