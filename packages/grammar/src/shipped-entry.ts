export { type ShippedCheck, checkShipped, compileShipped } from './check-shipped.ts'
export {
  SHIPPING_ENGINES,
  type ShippedRequest,
  type ShippedRow,
  type ShippingEngine,
  shippedGrammar,
  shippedName,
  shippedNames,
  shippedRow,
  shippedRows,
  shippedTools,
} from './shipped.ts'
