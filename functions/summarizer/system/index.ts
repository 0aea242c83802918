export { documentRoutes as routes } from '../../common/documents.ts'
