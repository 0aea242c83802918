export { articleRoutes as routes } from './article-routes.ts'
export { wire } from './wire.ts'
