export { documentRoutes as routes } from '../common/documents.ts'

export const wire = () => ({ services: {} })
