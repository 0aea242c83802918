export { pageRoutes as routes } from './page-routes.ts'
export { wire } from './wire.ts'
