// Made by `npm run generate` from spec/. Do not edit.
// src/protocol/encodings.ts
var base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
var base64Values = new Int8Array(128).map((_, code) => base64Digits.indexOf(String.fromCharCode(code)));
var padding = 61;
var encoder = new TextEncoder();
function isBase64Form(text) {
  const native = nativeBuffer();
  if (native !== void 0 && decodeNatively(native, text) !== void 0) return true;
  return endOfBase64(text) !== void 0;
}
function decodeNatively(native, text) {
  const bytes = native.from(text, "base64");
  return bytes.toString("base64") === text ? bytes : void 0;
}
function endOfBase64(text) {
  let end = text.length;
  for (let signs = 0; signs < 2 && text.charCodeAt(end - 1) === padding; signs++) end--;
  for (let at = 0; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code > 127 || base64Values[code] < 0) return void 0;
  }
  return end;
}
function nativeBuffer() {
  return globalThis.Buffer;
}

// src/http/validation/text-pattern.ts
function textPattern(pattern, flags) {
  if (pattern !== base64Form) return new RegExp(pattern, flags);
  return { test: isBase64Form, toString: () => `/${pattern}/${flags}` };
}
var base64Form = "^[A-Za-z0-9+/]*={0,2}$";

// <stdin>
var sendMessage = validate21;
var func0 = textPattern;
var pattern4 = func0("^(?:[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-7[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}|[0-9a-fA-F]{12}7[0-9a-fA-F]{3}[89abAB][0-9a-fA-F]{15})$", "u");
var pattern5 = func0("^(?:[0-9a-fA-F]{32}|[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12})@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?\\.?(?::[0-9]{1,5})?$", "u");
var pattern6 = func0("^[A-Za-z0-9+/]*={0,2}$", "u");
var pattern7 = func0("^(?:[0-9a-fA-F]{128}|[A-Za-z0-9+/]{85}[AQgw]==)$", "u");
var schema38 = { "type": "object", "additionalProperties": false, "required": ["event"], "properties": { "event": { "$ref": "contract#/definitions/SystemEventName" }, "extension_type": { "type": ["string", "null"], "minLength": 1, "maxLength": 64, "pattern": "^[ -~]+$" } } };
var schema39 = { "type": "string", "enum": ["group_extension_updated", "member_added", "member_removed", "epoch_change", "address_rotation"] };
var pattern8 = func0("^[ -~]+$", "u");
function validate22(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate22.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.event === void 0 && (missing0 = "event")) {
        validate22.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 }, message: "must have required property '" + missing0 + "'" }];
        return false;
      } else {
        const _errs1 = errors;
        for (const key0 in data) {
          if (!(key0 === "event" || key0 === "extension_type")) {
            validate22.errors = [{ instancePath, schemaPath: "#/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key0 }, message: "must NOT have additional properties" }];
            return false;
            break;
          }
        }
        if (_errs1 === errors) {
          if (data.event !== void 0) {
            let data0 = data.event;
            const _errs2 = errors;
            if (typeof data0 !== "string") {
              validate22.errors = [{ instancePath: instancePath + "/event", schemaPath: "contract#/definitions/SystemEventName/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
              return false;
            }
            if (!(data0 === "group_extension_updated" || data0 === "member_added" || data0 === "member_removed" || data0 === "epoch_change" || data0 === "address_rotation")) {
              validate22.errors = [{ instancePath: instancePath + "/event", schemaPath: "contract#/definitions/SystemEventName/enum", keyword: "enum", params: { allowedValues: schema39.enum }, message: "must be equal to one of the allowed values" }];
              return false;
            }
            var valid0 = _errs2 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.extension_type !== void 0) {
              let data1 = data.extension_type;
              const _errs5 = errors;
              if (typeof data1 !== "string" && data1 !== null) {
                validate22.errors = [{ instancePath: instancePath + "/extension_type", schemaPath: "#/properties/extension_type/type", keyword: "type", params: { type: schema38.properties.extension_type.type }, message: "must be string,null" }];
                return false;
              }
              if (errors === _errs5) {
                if (typeof data1 === "string") {
                  if (data1.length > 64) {
                    validate22.errors = [{ instancePath: instancePath + "/extension_type", schemaPath: "#/properties/extension_type/maxLength", keyword: "maxLength", params: { limit: 64 }, message: "must NOT have more than 64 characters" }];
                    return false;
                  } else {
                    if (data1.length < 1) {
                      validate22.errors = [{ instancePath: instancePath + "/extension_type", schemaPath: "#/properties/extension_type/minLength", keyword: "minLength", params: { limit: 1 }, message: "must NOT have fewer than 1 characters" }];
                      return false;
                    } else {
                      if (!pattern8.test(data1)) {
                        validate22.errors = [{ instancePath: instancePath + "/extension_type", schemaPath: "#/properties/extension_type/pattern", keyword: "pattern", params: { pattern: "^[ -~]+$" }, message: 'must match pattern "^[ -~]+$"' }];
                        return false;
                      }
                    }
                  }
                }
              }
              var valid0 = _errs5 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate22.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" }, message: "must be object" }];
      return false;
    }
  }
  validate22.errors = vErrors;
  return errors === 0;
}
validate22.evaluated = { "props": true, "dynamicProps": false, "dynamicItems": false };
function validate21(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate21.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.message_id === void 0 && (missing0 = "message_id") || data.recipient_address === void 0 && (missing0 = "recipient_address") || data.mls_ciphertext === void 0 && (missing0 = "mls_ciphertext") || data.sender_signature === void 0 && (missing0 = "sender_signature") || data.timestamp === void 0 && (missing0 = "timestamp")) {
        validate21.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 }, message: "must have required property '" + missing0 + "'" }];
        return false;
      } else {
        const _errs1 = errors;
        for (const key0 in data) {
          if (!(key0 === "message_id" || key0 === "recipient_address" || key0 === "mls_ciphertext" || key0 === "sender_signature" || key0 === "timestamp" || key0 === "system_event")) {
            validate21.errors = [{ instancePath, schemaPath: "#/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key0 }, message: "must NOT have additional properties" }];
            return false;
            break;
          }
        }
        if (_errs1 === errors) {
          if (data.message_id !== void 0) {
            let data0 = data.message_id;
            const _errs2 = errors;
            const _errs3 = errors;
            if (errors === _errs3) {
              if (typeof data0 === "string") {
                if (!pattern4.test(data0)) {
                  validate21.errors = [{ instancePath: instancePath + "/message_id", schemaPath: "contract#/definitions/MessageId/pattern", keyword: "pattern", params: { pattern: "^(?:[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-7[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}|[0-9a-fA-F]{12}7[0-9a-fA-F]{3}[89abAB][0-9a-fA-F]{15})$" }, message: 'must match pattern "^(?:[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-7[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}|[0-9a-fA-F]{12}7[0-9a-fA-F]{3}[89abAB][0-9a-fA-F]{15})$"' }];
                  return false;
                }
              } else {
                validate21.errors = [{ instancePath: instancePath + "/message_id", schemaPath: "contract#/definitions/MessageId/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                return false;
              }
            }
            var valid0 = _errs2 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.recipient_address !== void 0) {
              let data1 = data.recipient_address;
              const _errs5 = errors;
              const _errs6 = errors;
              if (errors === _errs6) {
                if (typeof data1 === "string") {
                  if (data1.length > 296) {
                    validate21.errors = [{ instancePath: instancePath + "/recipient_address", schemaPath: "contract#/definitions/Address/maxLength", keyword: "maxLength", params: { limit: 296 }, message: "must NOT have more than 296 characters" }];
                    return false;
                  } else {
                    if (data1.length < 34) {
                      validate21.errors = [{ instancePath: instancePath + "/recipient_address", schemaPath: "contract#/definitions/Address/minLength", keyword: "minLength", params: { limit: 34 }, message: "must NOT have fewer than 34 characters" }];
                      return false;
                    } else {
                      if (!pattern5.test(data1)) {
                        validate21.errors = [{ instancePath: instancePath + "/recipient_address", schemaPath: "contract#/definitions/Address/pattern", keyword: "pattern", params: { pattern: "^(?:[0-9a-fA-F]{32}|[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12})@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?\\.?(?::[0-9]{1,5})?$" }, message: 'must match pattern "^(?:[0-9a-fA-F]{32}|[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12})@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?\\.?(?::[0-9]{1,5})?$"' }];
                        return false;
                      }
                    }
                  }
                } else {
                  validate21.errors = [{ instancePath: instancePath + "/recipient_address", schemaPath: "contract#/definitions/Address/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                  return false;
                }
              }
              var valid0 = _errs5 === errors;
            } else {
              var valid0 = true;
            }
            if (valid0) {
              if (data.mls_ciphertext !== void 0) {
                let data2 = data.mls_ciphertext;
                const _errs8 = errors;
                const _errs9 = errors;
                if (errors === _errs9) {
                  if (typeof data2 === "string") {
                    if (data2.length < 4) {
                      validate21.errors = [{ instancePath: instancePath + "/mls_ciphertext", schemaPath: "contract#/definitions/Base64Text/minLength", keyword: "minLength", params: { limit: 4 }, message: "must NOT have fewer than 4 characters" }];
                      return false;
                    } else {
                      if (!pattern6.test(data2)) {
                        validate21.errors = [{ instancePath: instancePath + "/mls_ciphertext", schemaPath: "contract#/definitions/Base64Text/pattern", keyword: "pattern", params: { pattern: "^[A-Za-z0-9+/]*={0,2}$" }, message: 'must match pattern "^[A-Za-z0-9+/]*={0,2}$"' }];
                        return false;
                      }
                    }
                  } else {
                    validate21.errors = [{ instancePath: instancePath + "/mls_ciphertext", schemaPath: "contract#/definitions/Base64Text/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                    return false;
                  }
                }
                var valid0 = _errs8 === errors;
              } else {
                var valid0 = true;
              }
              if (valid0) {
                if (data.sender_signature !== void 0) {
                  let data3 = data.sender_signature;
                  const _errs11 = errors;
                  const _errs12 = errors;
                  if (errors === _errs12) {
                    if (typeof data3 === "string") {
                      if (!pattern7.test(data3)) {
                        validate21.errors = [{ instancePath: instancePath + "/sender_signature", schemaPath: "contract#/definitions/SenderSignature/pattern", keyword: "pattern", params: { pattern: "^(?:[0-9a-fA-F]{128}|[A-Za-z0-9+/]{85}[AQgw]==)$" }, message: 'must match pattern "^(?:[0-9a-fA-F]{128}|[A-Za-z0-9+/]{85}[AQgw]==)$"' }];
                        return false;
                      }
                    } else {
                      validate21.errors = [{ instancePath: instancePath + "/sender_signature", schemaPath: "contract#/definitions/SenderSignature/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                      return false;
                    }
                  }
                  var valid0 = _errs11 === errors;
                } else {
                  var valid0 = true;
                }
                if (valid0) {
                  if (data.timestamp !== void 0) {
                    let data4 = data.timestamp;
                    const _errs14 = errors;
                    const _errs15 = errors;
                    if (!(typeof data4 == "number" && (!(data4 % 1) && !isNaN(data4)))) {
                      validate21.errors = [{ instancePath: instancePath + "/timestamp", schemaPath: "contract#/definitions/Timestamp/type", keyword: "type", params: { type: "integer" }, message: "must be integer" }];
                      return false;
                    }
                    if (errors === _errs15) {
                      if (typeof data4 == "number") {
                        if (data4 > 253402300799 || isNaN(data4)) {
                          validate21.errors = [{ instancePath: instancePath + "/timestamp", schemaPath: "contract#/definitions/Timestamp/maximum", keyword: "maximum", params: { comparison: "<=", limit: 253402300799 }, message: "must be <= 253402300799" }];
                          return false;
                        } else {
                          if (data4 < 0 || isNaN(data4)) {
                            validate21.errors = [{ instancePath: instancePath + "/timestamp", schemaPath: "contract#/definitions/Timestamp/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 }, message: "must be >= 0" }];
                            return false;
                          }
                        }
                      }
                    }
                    var valid0 = _errs14 === errors;
                  } else {
                    var valid0 = true;
                  }
                  if (valid0) {
                    if (data.system_event !== void 0) {
                      const _errs17 = errors;
                      if (!validate22(data.system_event, { instancePath: instancePath + "/system_event", parentData: data, parentDataProperty: "system_event", rootData, dynamicAnchors })) {
                        vErrors = vErrors === null ? validate22.errors : vErrors.concat(validate22.errors);
                        errors = vErrors.length;
                      }
                      var valid0 = _errs17 === errors;
                    } else {
                      var valid0 = true;
                    }
                  }
                }
              }
            }
          }
        }
      }
    } else {
      validate21.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" }, message: "must be object" }];
      return false;
    }
  }
  validate21.errors = vErrors;
  return errors === 0;
}
validate21.evaluated = { "props": true, "dynamicProps": false, "dynamicItems": false };
var sendMessageBatch = validate24;
var schema42 = { "type": "object", "additionalProperties": false, "required": ["event"], "properties": { "event": { "type": "string", "maxLength": 1e3 }, "extension_type": { "type": ["string", "null"], "maxLength": 1e3 } } };
function validate25(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate25.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.message_id === void 0 && (missing0 = "message_id") || data.recipient_address === void 0 && (missing0 = "recipient_address") || data.mls_ciphertext === void 0 && (missing0 = "mls_ciphertext") || data.sender_signature === void 0 && (missing0 = "sender_signature") || data.timestamp === void 0 && (missing0 = "timestamp")) {
        validate25.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 }, message: "must have required property '" + missing0 + "'" }];
        return false;
      } else {
        const _errs1 = errors;
        for (const key0 in data) {
          if (!(key0 === "message_id" || key0 === "recipient_address" || key0 === "mls_ciphertext" || key0 === "sender_signature" || key0 === "timestamp" || key0 === "system_event")) {
            validate25.errors = [{ instancePath, schemaPath: "#/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key0 }, message: "must NOT have additional properties" }];
            return false;
            break;
          }
        }
        if (_errs1 === errors) {
          if (data.message_id !== void 0) {
            let data0 = data.message_id;
            const _errs2 = errors;
            if (errors === _errs2) {
              if (typeof data0 === "string") {
                if (data0.length > 1e3) {
                  validate25.errors = [{ instancePath: instancePath + "/message_id", schemaPath: "#/properties/message_id/maxLength", keyword: "maxLength", params: { limit: 1e3 }, message: "must NOT have more than 1000 characters" }];
                  return false;
                }
              } else {
                validate25.errors = [{ instancePath: instancePath + "/message_id", schemaPath: "#/properties/message_id/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                return false;
              }
            }
            var valid0 = _errs2 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.recipient_address !== void 0) {
              let data1 = data.recipient_address;
              const _errs4 = errors;
              if (errors === _errs4) {
                if (typeof data1 === "string") {
                  if (data1.length > 1e3) {
                    validate25.errors = [{ instancePath: instancePath + "/recipient_address", schemaPath: "#/properties/recipient_address/maxLength", keyword: "maxLength", params: { limit: 1e3 }, message: "must NOT have more than 1000 characters" }];
                    return false;
                  }
                } else {
                  validate25.errors = [{ instancePath: instancePath + "/recipient_address", schemaPath: "#/properties/recipient_address/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                  return false;
                }
              }
              var valid0 = _errs4 === errors;
            } else {
              var valid0 = true;
            }
            if (valid0) {
              if (data.mls_ciphertext !== void 0) {
                const _errs6 = errors;
                if (typeof data.mls_ciphertext !== "string") {
                  validate25.errors = [{ instancePath: instancePath + "/mls_ciphertext", schemaPath: "#/properties/mls_ciphertext/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                  return false;
                }
                var valid0 = _errs6 === errors;
              } else {
                var valid0 = true;
              }
              if (valid0) {
                if (data.sender_signature !== void 0) {
                  let data3 = data.sender_signature;
                  const _errs8 = errors;
                  if (errors === _errs8) {
                    if (typeof data3 === "string") {
                      if (data3.length > 1e3) {
                        validate25.errors = [{ instancePath: instancePath + "/sender_signature", schemaPath: "#/properties/sender_signature/maxLength", keyword: "maxLength", params: { limit: 1e3 }, message: "must NOT have more than 1000 characters" }];
                        return false;
                      }
                    } else {
                      validate25.errors = [{ instancePath: instancePath + "/sender_signature", schemaPath: "#/properties/sender_signature/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                      return false;
                    }
                  }
                  var valid0 = _errs8 === errors;
                } else {
                  var valid0 = true;
                }
                if (valid0) {
                  if (data.timestamp !== void 0) {
                    let data4 = data.timestamp;
                    const _errs10 = errors;
                    if (!(typeof data4 == "number" && (!(data4 % 1) && !isNaN(data4)))) {
                      validate25.errors = [{ instancePath: instancePath + "/timestamp", schemaPath: "#/properties/timestamp/type", keyword: "type", params: { type: "integer" }, message: "must be integer" }];
                      return false;
                    }
                    if (errors === _errs10) {
                      if (typeof data4 == "number") {
                        if (data4 > 9007199254740991 || isNaN(data4)) {
                          validate25.errors = [{ instancePath: instancePath + "/timestamp", schemaPath: "#/properties/timestamp/maximum", keyword: "maximum", params: { comparison: "<=", limit: 9007199254740991 }, message: "must be <= 9007199254740991" }];
                          return false;
                        } else {
                          if (data4 < -9007199254740991 || isNaN(data4)) {
                            validate25.errors = [{ instancePath: instancePath + "/timestamp", schemaPath: "#/properties/timestamp/minimum", keyword: "minimum", params: { comparison: ">=", limit: -9007199254740991 }, message: "must be >= -9007199254740991" }];
                            return false;
                          }
                        }
                      }
                    }
                    var valid0 = _errs10 === errors;
                  } else {
                    var valid0 = true;
                  }
                  if (valid0) {
                    if (data.system_event !== void 0) {
                      let data5 = data.system_event;
                      const _errs12 = errors;
                      const _errs13 = errors;
                      if (errors === _errs13) {
                        if (data5 && typeof data5 == "object" && !Array.isArray(data5)) {
                          let missing1;
                          if (data5.event === void 0 && (missing1 = "event")) {
                            validate25.errors = [{ instancePath: instancePath + "/system_event", schemaPath: "contract#/definitions/BatchSystemEvent/required", keyword: "required", params: { missingProperty: missing1 }, message: "must have required property '" + missing1 + "'" }];
                            return false;
                          } else {
                            const _errs15 = errors;
                            for (const key1 in data5) {
                              if (!(key1 === "event" || key1 === "extension_type")) {
                                validate25.errors = [{ instancePath: instancePath + "/system_event", schemaPath: "contract#/definitions/BatchSystemEvent/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key1 }, message: "must NOT have additional properties" }];
                                return false;
                                break;
                              }
                            }
                            if (_errs15 === errors) {
                              if (data5.event !== void 0) {
                                let data6 = data5.event;
                                const _errs16 = errors;
                                if (errors === _errs16) {
                                  if (typeof data6 === "string") {
                                    if (data6.length > 1e3) {
                                      validate25.errors = [{ instancePath: instancePath + "/system_event/event", schemaPath: "contract#/definitions/BatchSystemEvent/properties/event/maxLength", keyword: "maxLength", params: { limit: 1e3 }, message: "must NOT have more than 1000 characters" }];
                                      return false;
                                    }
                                  } else {
                                    validate25.errors = [{ instancePath: instancePath + "/system_event/event", schemaPath: "contract#/definitions/BatchSystemEvent/properties/event/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                                    return false;
                                  }
                                }
                                var valid2 = _errs16 === errors;
                              } else {
                                var valid2 = true;
                              }
                              if (valid2) {
                                if (data5.extension_type !== void 0) {
                                  let data7 = data5.extension_type;
                                  const _errs18 = errors;
                                  if (typeof data7 !== "string" && data7 !== null) {
                                    validate25.errors = [{ instancePath: instancePath + "/system_event/extension_type", schemaPath: "contract#/definitions/BatchSystemEvent/properties/extension_type/type", keyword: "type", params: { type: schema42.properties.extension_type.type }, message: "must be string,null" }];
                                    return false;
                                  }
                                  if (errors === _errs18) {
                                    if (typeof data7 === "string") {
                                      if (data7.length > 1e3) {
                                        validate25.errors = [{ instancePath: instancePath + "/system_event/extension_type", schemaPath: "contract#/definitions/BatchSystemEvent/properties/extension_type/maxLength", keyword: "maxLength", params: { limit: 1e3 }, message: "must NOT have more than 1000 characters" }];
                                        return false;
                                      }
                                    }
                                  }
                                  var valid2 = _errs18 === errors;
                                } else {
                                  var valid2 = true;
                                }
                              }
                            }
                          }
                        } else {
                          validate25.errors = [{ instancePath: instancePath + "/system_event", schemaPath: "contract#/definitions/BatchSystemEvent/type", keyword: "type", params: { type: "object" }, message: "must be object" }];
                          return false;
                        }
                      }
                      var valid0 = _errs12 === errors;
                    } else {
                      var valid0 = true;
                    }
                  }
                }
              }
            }
          }
        }
      }
    } else {
      validate25.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" }, message: "must be object" }];
      return false;
    }
  }
  validate25.errors = vErrors;
  return errors === 0;
}
validate25.evaluated = { "props": true, "dynamicProps": false, "dynamicItems": false };
function validate24(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate24.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.messages === void 0 && (missing0 = "messages")) {
        validate24.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 }, message: "must have required property '" + missing0 + "'" }];
        return false;
      } else {
        const _errs1 = errors;
        for (const key0 in data) {
          if (!(key0 === "messages")) {
            validate24.errors = [{ instancePath, schemaPath: "#/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key0 }, message: "must NOT have additional properties" }];
            return false;
            break;
          }
        }
        if (_errs1 === errors) {
          if (data.messages !== void 0) {
            let data0 = data.messages;
            const _errs2 = errors;
            if (errors === _errs2) {
              if (Array.isArray(data0)) {
                if (data0.length > 100) {
                  validate24.errors = [{ instancePath: instancePath + "/messages", schemaPath: "#/properties/messages/maxItems", keyword: "maxItems", params: { limit: 100 }, message: "must NOT have more than 100 items" }];
                  return false;
                } else {
                  var valid1 = true;
                  const len0 = data0.length;
                  for (let i0 = 0; i0 < len0; i0++) {
                    const _errs4 = errors;
                    if (!validate25(data0[i0], { instancePath: instancePath + "/messages/" + i0, parentData: data0, parentDataProperty: i0, rootData, dynamicAnchors })) {
                      vErrors = vErrors === null ? validate25.errors : vErrors.concat(validate25.errors);
                      errors = vErrors.length;
                    }
                    var valid1 = _errs4 === errors;
                    if (!valid1) {
                      break;
                    }
                  }
                }
              } else {
                validate24.errors = [{ instancePath: instancePath + "/messages", schemaPath: "#/properties/messages/type", keyword: "type", params: { type: "array" }, message: "must be array" }];
                return false;
              }
            }
          }
        }
      }
    } else {
      validate24.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" }, message: "must be object" }];
      return false;
    }
  }
  validate24.errors = vErrors;
  return errors === 0;
}
validate24.evaluated = { "props": true, "dynamicProps": false, "dynamicItems": false };
var acknowledgeMessages = validate27;
function validate27(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate27.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.message_ids === void 0 && (missing0 = "message_ids")) {
        validate27.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 }, message: "must have required property '" + missing0 + "'" }];
        return false;
      } else {
        const _errs1 = errors;
        for (const key0 in data) {
          if (!(key0 === "message_ids")) {
            validate27.errors = [{ instancePath, schemaPath: "#/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key0 }, message: "must NOT have additional properties" }];
            return false;
            break;
          }
        }
        if (_errs1 === errors) {
          if (data.message_ids !== void 0) {
            let data0 = data.message_ids;
            const _errs2 = errors;
            if (errors === _errs2) {
              if (Array.isArray(data0)) {
                if (data0.length > 1e3) {
                  validate27.errors = [{ instancePath: instancePath + "/message_ids", schemaPath: "#/properties/message_ids/maxItems", keyword: "maxItems", params: { limit: 1e3 }, message: "must NOT have more than 1000 items" }];
                  return false;
                } else {
                  var valid1 = true;
                  const len0 = data0.length;
                  for (let i0 = 0; i0 < len0; i0++) {
                    let data1 = data0[i0];
                    const _errs4 = errors;
                    const _errs5 = errors;
                    if (errors === _errs5) {
                      if (typeof data1 === "string") {
                        if (!pattern4.test(data1)) {
                          validate27.errors = [{ instancePath: instancePath + "/message_ids/" + i0, schemaPath: "contract#/definitions/MessageId/pattern", keyword: "pattern", params: { pattern: "^(?:[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-7[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}|[0-9a-fA-F]{12}7[0-9a-fA-F]{3}[89abAB][0-9a-fA-F]{15})$" }, message: 'must match pattern "^(?:[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-7[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}|[0-9a-fA-F]{12}7[0-9a-fA-F]{3}[89abAB][0-9a-fA-F]{15})$"' }];
                          return false;
                        }
                      } else {
                        validate27.errors = [{ instancePath: instancePath + "/message_ids/" + i0, schemaPath: "contract#/definitions/MessageId/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                        return false;
                      }
                    }
                    var valid1 = _errs4 === errors;
                    if (!valid1) {
                      break;
                    }
                  }
                }
              } else {
                validate27.errors = [{ instancePath: instancePath + "/message_ids", schemaPath: "#/properties/message_ids/type", keyword: "type", params: { type: "array" }, message: "must be array" }];
                return false;
              }
            }
          }
        }
      }
    } else {
      validate27.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" }, message: "must be object" }];
      return false;
    }
  }
  validate27.errors = vErrors;
  return errors === 0;
}
validate27.evaluated = { "props": true, "dynamicProps": false, "dynamicItems": false };
var deliverTransaction = validate28;
var pattern10 = func0("^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?\\.?(?::[0-9]{1,5})?$", "u");
var pattern11 = func0("^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$", "u");
var schema49 = { "type": "object", "additionalProperties": true, "x-open-because": "A newer peer may send more, which is ignored.", "required": ["event"], "properties": { "event": { "type": "string", "maxLength": 1e3 }, "extension_type": { "type": ["string", "null"], "maxLength": 1e3 } } };
var pattern12 = func0("^[0-9A-Za-z_-]+$", "u");
function validate29(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate29.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.message_id === void 0 && (missing0 = "message_id") || data.recipient_address === void 0 && (missing0 = "recipient_address") || data.mls_ciphertext === void 0 && (missing0 = "mls_ciphertext") || data.sender_signature === void 0 && (missing0 = "sender_signature") || data.timestamp === void 0 && (missing0 = "timestamp")) {
        validate29.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 }, message: "must have required property '" + missing0 + "'" }];
        return false;
      } else {
        if (data.message_id !== void 0) {
          let data0 = data.message_id;
          const _errs2 = errors;
          if (errors === _errs2) {
            if (typeof data0 === "string") {
              if (data0.length > 1e3) {
                validate29.errors = [{ instancePath: instancePath + "/message_id", schemaPath: "#/properties/message_id/maxLength", keyword: "maxLength", params: { limit: 1e3 }, message: "must NOT have more than 1000 characters" }];
                return false;
              }
            } else {
              validate29.errors = [{ instancePath: instancePath + "/message_id", schemaPath: "#/properties/message_id/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
              return false;
            }
          }
          var valid0 = _errs2 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.recipient_address !== void 0) {
            let data1 = data.recipient_address;
            const _errs4 = errors;
            if (errors === _errs4) {
              if (typeof data1 === "string") {
                if (data1.length > 1e3) {
                  validate29.errors = [{ instancePath: instancePath + "/recipient_address", schemaPath: "#/properties/recipient_address/maxLength", keyword: "maxLength", params: { limit: 1e3 }, message: "must NOT have more than 1000 characters" }];
                  return false;
                }
              } else {
                validate29.errors = [{ instancePath: instancePath + "/recipient_address", schemaPath: "#/properties/recipient_address/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                return false;
              }
            }
            var valid0 = _errs4 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.mls_ciphertext !== void 0) {
              const _errs6 = errors;
              if (typeof data.mls_ciphertext !== "string") {
                validate29.errors = [{ instancePath: instancePath + "/mls_ciphertext", schemaPath: "#/properties/mls_ciphertext/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                return false;
              }
              var valid0 = _errs6 === errors;
            } else {
              var valid0 = true;
            }
            if (valid0) {
              if (data.sender_signature !== void 0) {
                let data3 = data.sender_signature;
                const _errs8 = errors;
                if (errors === _errs8) {
                  if (typeof data3 === "string") {
                    if (data3.length > 1e3) {
                      validate29.errors = [{ instancePath: instancePath + "/sender_signature", schemaPath: "#/properties/sender_signature/maxLength", keyword: "maxLength", params: { limit: 1e3 }, message: "must NOT have more than 1000 characters" }];
                      return false;
                    }
                  } else {
                    validate29.errors = [{ instancePath: instancePath + "/sender_signature", schemaPath: "#/properties/sender_signature/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                    return false;
                  }
                }
                var valid0 = _errs8 === errors;
              } else {
                var valid0 = true;
              }
              if (valid0) {
                if (data.timestamp !== void 0) {
                  let data4 = data.timestamp;
                  const _errs10 = errors;
                  if (!(typeof data4 == "number" && (!(data4 % 1) && !isNaN(data4)))) {
                    validate29.errors = [{ instancePath: instancePath + "/timestamp", schemaPath: "#/properties/timestamp/type", keyword: "type", params: { type: "integer" }, message: "must be integer" }];
                    return false;
                  }
                  if (errors === _errs10) {
                    if (typeof data4 == "number") {
                      if (data4 > 9007199254740991 || isNaN(data4)) {
                        validate29.errors = [{ instancePath: instancePath + "/timestamp", schemaPath: "#/properties/timestamp/maximum", keyword: "maximum", params: { comparison: "<=", limit: 9007199254740991 }, message: "must be <= 9007199254740991" }];
                        return false;
                      } else {
                        if (data4 < -9007199254740991 || isNaN(data4)) {
                          validate29.errors = [{ instancePath: instancePath + "/timestamp", schemaPath: "#/properties/timestamp/minimum", keyword: "minimum", params: { comparison: ">=", limit: -9007199254740991 }, message: "must be >= -9007199254740991" }];
                          return false;
                        }
                      }
                    }
                  }
                  var valid0 = _errs10 === errors;
                } else {
                  var valid0 = true;
                }
                if (valid0) {
                  if (data.system_event !== void 0) {
                    let data5 = data.system_event;
                    const _errs12 = errors;
                    const _errs13 = errors;
                    if (errors === _errs13) {
                      if (data5 && typeof data5 == "object" && !Array.isArray(data5)) {
                        let missing1;
                        if (data5.event === void 0 && (missing1 = "event")) {
                          validate29.errors = [{ instancePath: instancePath + "/system_event", schemaPath: "contract#/definitions/FederatedSystemEvent/required", keyword: "required", params: { missingProperty: missing1 }, message: "must have required property '" + missing1 + "'" }];
                          return false;
                        } else {
                          if (data5.event !== void 0) {
                            let data6 = data5.event;
                            const _errs16 = errors;
                            if (errors === _errs16) {
                              if (typeof data6 === "string") {
                                if (data6.length > 1e3) {
                                  validate29.errors = [{ instancePath: instancePath + "/system_event/event", schemaPath: "contract#/definitions/FederatedSystemEvent/properties/event/maxLength", keyword: "maxLength", params: { limit: 1e3 }, message: "must NOT have more than 1000 characters" }];
                                  return false;
                                }
                              } else {
                                validate29.errors = [{ instancePath: instancePath + "/system_event/event", schemaPath: "contract#/definitions/FederatedSystemEvent/properties/event/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                                return false;
                              }
                            }
                            var valid2 = _errs16 === errors;
                          } else {
                            var valid2 = true;
                          }
                          if (valid2) {
                            if (data5.extension_type !== void 0) {
                              let data7 = data5.extension_type;
                              const _errs18 = errors;
                              if (typeof data7 !== "string" && data7 !== null) {
                                validate29.errors = [{ instancePath: instancePath + "/system_event/extension_type", schemaPath: "contract#/definitions/FederatedSystemEvent/properties/extension_type/type", keyword: "type", params: { type: schema49.properties.extension_type.type }, message: "must be string,null" }];
                                return false;
                              }
                              if (errors === _errs18) {
                                if (typeof data7 === "string") {
                                  if (data7.length > 1e3) {
                                    validate29.errors = [{ instancePath: instancePath + "/system_event/extension_type", schemaPath: "contract#/definitions/FederatedSystemEvent/properties/extension_type/maxLength", keyword: "maxLength", params: { limit: 1e3 }, message: "must NOT have more than 1000 characters" }];
                                    return false;
                                  }
                                }
                              }
                              var valid2 = _errs18 === errors;
                            } else {
                              var valid2 = true;
                            }
                          }
                        }
                      } else {
                        validate29.errors = [{ instancePath: instancePath + "/system_event", schemaPath: "contract#/definitions/FederatedSystemEvent/type", keyword: "type", params: { type: "object" }, message: "must be object" }];
                        return false;
                      }
                    }
                    var valid0 = _errs12 === errors;
                  } else {
                    var valid0 = true;
                  }
                  if (valid0) {
                    if (data.dedup_tag !== void 0) {
                      let data8 = data.dedup_tag;
                      const _errs20 = errors;
                      if (errors === _errs20) {
                        if (typeof data8 === "string") {
                          if (data8.length > 128) {
                            validate29.errors = [{ instancePath: instancePath + "/dedup_tag", schemaPath: "#/properties/dedup_tag/maxLength", keyword: "maxLength", params: { limit: 128 }, message: "must NOT have more than 128 characters" }];
                            return false;
                          } else {
                            if (data8.length < 16) {
                              validate29.errors = [{ instancePath: instancePath + "/dedup_tag", schemaPath: "#/properties/dedup_tag/minLength", keyword: "minLength", params: { limit: 16 }, message: "must NOT have fewer than 16 characters" }];
                              return false;
                            } else {
                              if (!pattern12.test(data8)) {
                                validate29.errors = [{ instancePath: instancePath + "/dedup_tag", schemaPath: "#/properties/dedup_tag/pattern", keyword: "pattern", params: { pattern: "^[0-9A-Za-z_-]+$" }, message: 'must match pattern "^[0-9A-Za-z_-]+$"' }];
                                return false;
                              }
                            }
                          }
                        } else {
                          validate29.errors = [{ instancePath: instancePath + "/dedup_tag", schemaPath: "#/properties/dedup_tag/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                          return false;
                        }
                      }
                      var valid0 = _errs20 === errors;
                    } else {
                      var valid0 = true;
                    }
                  }
                }
              }
            }
          }
        }
      }
    } else {
      validate29.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" }, message: "must be object" }];
      return false;
    }
  }
  validate29.errors = vErrors;
  return errors === 0;
}
validate29.evaluated = { "props": true, "dynamicProps": false, "dynamicItems": false };
function validate28(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate28.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.origin_server === void 0 && (missing0 = "origin_server") || data.transaction_id === void 0 && (missing0 = "transaction_id") || data.timestamp === void 0 && (missing0 = "timestamp") || data.messages === void 0 && (missing0 = "messages")) {
        validate28.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 }, message: "must have required property '" + missing0 + "'" }];
        return false;
      } else {
        if (data.origin_server !== void 0) {
          let data0 = data.origin_server;
          const _errs2 = errors;
          const _errs3 = errors;
          if (errors === _errs3) {
            if (typeof data0 === "string") {
              if (data0.length > 259) {
                validate28.errors = [{ instancePath: instancePath + "/origin_server", schemaPath: "contract#/definitions/Domain/maxLength", keyword: "maxLength", params: { limit: 259 }, message: "must NOT have more than 259 characters" }];
                return false;
              } else {
                if (data0.length < 1) {
                  validate28.errors = [{ instancePath: instancePath + "/origin_server", schemaPath: "contract#/definitions/Domain/minLength", keyword: "minLength", params: { limit: 1 }, message: "must NOT have fewer than 1 characters" }];
                  return false;
                } else {
                  if (!pattern10.test(data0)) {
                    validate28.errors = [{ instancePath: instancePath + "/origin_server", schemaPath: "contract#/definitions/Domain/pattern", keyword: "pattern", params: { pattern: "^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?\\.?(?::[0-9]{1,5})?$" }, message: 'must match pattern "^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?\\.?(?::[0-9]{1,5})?$"' }];
                    return false;
                  }
                }
              }
            } else {
              validate28.errors = [{ instancePath: instancePath + "/origin_server", schemaPath: "contract#/definitions/Domain/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
              return false;
            }
          }
          var valid0 = _errs2 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.transaction_id !== void 0) {
            let data1 = data.transaction_id;
            const _errs5 = errors;
            const _errs6 = errors;
            if (errors === _errs6) {
              if (typeof data1 === "string") {
                if (!pattern11.test(data1)) {
                  validate28.errors = [{ instancePath: instancePath + "/transaction_id", schemaPath: "contract#/definitions/TransactionId/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$" }, message: 'must match pattern "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$"' }];
                  return false;
                }
              } else {
                validate28.errors = [{ instancePath: instancePath + "/transaction_id", schemaPath: "contract#/definitions/TransactionId/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                return false;
              }
            }
            var valid0 = _errs5 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.timestamp !== void 0) {
              let data2 = data.timestamp;
              const _errs8 = errors;
              if (!(typeof data2 == "number" && (!(data2 % 1) && !isNaN(data2)))) {
                validate28.errors = [{ instancePath: instancePath + "/timestamp", schemaPath: "#/properties/timestamp/type", keyword: "type", params: { type: "integer" }, message: "must be integer" }];
                return false;
              }
              if (errors === _errs8) {
                if (typeof data2 == "number") {
                  if (data2 > 9007199254740991 || isNaN(data2)) {
                    validate28.errors = [{ instancePath: instancePath + "/timestamp", schemaPath: "#/properties/timestamp/maximum", keyword: "maximum", params: { comparison: "<=", limit: 9007199254740991 }, message: "must be <= 9007199254740991" }];
                    return false;
                  } else {
                    if (data2 < -9007199254740991 || isNaN(data2)) {
                      validate28.errors = [{ instancePath: instancePath + "/timestamp", schemaPath: "#/properties/timestamp/minimum", keyword: "minimum", params: { comparison: ">=", limit: -9007199254740991 }, message: "must be >= -9007199254740991" }];
                      return false;
                    }
                  }
                }
              }
              var valid0 = _errs8 === errors;
            } else {
              var valid0 = true;
            }
            if (valid0) {
              if (data.messages !== void 0) {
                let data3 = data.messages;
                const _errs10 = errors;
                if (errors === _errs10) {
                  if (Array.isArray(data3)) {
                    if (data3.length > 1e3) {
                      validate28.errors = [{ instancePath: instancePath + "/messages", schemaPath: "#/properties/messages/maxItems", keyword: "maxItems", params: { limit: 1e3 }, message: "must NOT have more than 1000 items" }];
                      return false;
                    } else {
                      if (data3.length < 1) {
                        validate28.errors = [{ instancePath: instancePath + "/messages", schemaPath: "#/properties/messages/minItems", keyword: "minItems", params: { limit: 1 }, message: "must NOT have fewer than 1 items" }];
                        return false;
                      } else {
                        var valid3 = true;
                        const len0 = data3.length;
                        for (let i0 = 0; i0 < len0; i0++) {
                          const _errs12 = errors;
                          if (!validate29(data3[i0], { instancePath: instancePath + "/messages/" + i0, parentData: data3, parentDataProperty: i0, rootData, dynamicAnchors })) {
                            vErrors = vErrors === null ? validate29.errors : vErrors.concat(validate29.errors);
                            errors = vErrors.length;
                          }
                          var valid3 = _errs12 === errors;
                          if (!valid3) {
                            break;
                          }
                        }
                      }
                    }
                  } else {
                    validate28.errors = [{ instancePath: instancePath + "/messages", schemaPath: "#/properties/messages/type", keyword: "type", params: { type: "array" }, message: "must be array" }];
                    return false;
                  }
                }
                var valid0 = _errs10 === errors;
              } else {
                var valid0 = true;
              }
            }
          }
        }
      }
    } else {
      validate28.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" }, message: "must be object" }];
      return false;
    }
  }
  validate28.errors = vErrors;
  return errors === 0;
}
validate28.evaluated = { "props": true, "dynamicProps": false, "dynamicItems": false };
var reportSpam = validate31;
var schema53 = { "type": "string", "enum": ["spam", "harassment", "impersonation", "malware", "illegal_content", "other"] };
var pattern14 = func0("^[0-9a-fA-F]{64}$", "u");
function validate31(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate31.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.message_id === void 0 && (missing0 = "message_id") || data.sender_id === void 0 && (missing0 = "sender_id") || data.reason === void 0 && (missing0 = "reason")) {
        validate31.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 }, message: "must have required property '" + missing0 + "'" }];
        return false;
      } else {
        const _errs1 = errors;
        for (const key0 in data) {
          if (!(key0 === "message_id" || key0 === "sender_id" || key0 === "reason" || key0 === "details")) {
            validate31.errors = [{ instancePath, schemaPath: "#/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key0 }, message: "must NOT have additional properties" }];
            return false;
            break;
          }
        }
        if (_errs1 === errors) {
          if (data.message_id !== void 0) {
            let data0 = data.message_id;
            const _errs2 = errors;
            const _errs3 = errors;
            if (errors === _errs3) {
              if (typeof data0 === "string") {
                if (!pattern4.test(data0)) {
                  validate31.errors = [{ instancePath: instancePath + "/message_id", schemaPath: "contract#/definitions/MessageId/pattern", keyword: "pattern", params: { pattern: "^(?:[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-7[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}|[0-9a-fA-F]{12}7[0-9a-fA-F]{3}[89abAB][0-9a-fA-F]{15})$" }, message: 'must match pattern "^(?:[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-7[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}|[0-9a-fA-F]{12}7[0-9a-fA-F]{3}[89abAB][0-9a-fA-F]{15})$"' }];
                  return false;
                }
              } else {
                validate31.errors = [{ instancePath: instancePath + "/message_id", schemaPath: "contract#/definitions/MessageId/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                return false;
              }
            }
            var valid0 = _errs2 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.sender_id !== void 0) {
              let data1 = data.sender_id;
              const _errs5 = errors;
              const _errs6 = errors;
              if (errors === _errs6) {
                if (typeof data1 === "string") {
                  if (!pattern14.test(data1)) {
                    validate31.errors = [{ instancePath: instancePath + "/sender_id", schemaPath: "contract#/definitions/DeviceId/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{64}$" }, message: 'must match pattern "^[0-9a-fA-F]{64}$"' }];
                    return false;
                  }
                } else {
                  validate31.errors = [{ instancePath: instancePath + "/sender_id", schemaPath: "contract#/definitions/DeviceId/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                  return false;
                }
              }
              var valid0 = _errs5 === errors;
            } else {
              var valid0 = true;
            }
            if (valid0) {
              if (data.reason !== void 0) {
                let data2 = data.reason;
                const _errs8 = errors;
                if (typeof data2 !== "string") {
                  validate31.errors = [{ instancePath: instancePath + "/reason", schemaPath: "contract#/definitions/SpamReason/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                  return false;
                }
                if (!(data2 === "spam" || data2 === "harassment" || data2 === "impersonation" || data2 === "malware" || data2 === "illegal_content" || data2 === "other")) {
                  validate31.errors = [{ instancePath: instancePath + "/reason", schemaPath: "contract#/definitions/SpamReason/enum", keyword: "enum", params: { allowedValues: schema53.enum }, message: "must be equal to one of the allowed values" }];
                  return false;
                }
                var valid0 = _errs8 === errors;
              } else {
                var valid0 = true;
              }
              if (valid0) {
                if (data.details !== void 0) {
                  let data3 = data.details;
                  const _errs11 = errors;
                  if (errors === _errs11) {
                    if (typeof data3 === "string") {
                      if (data3.length > 1e3) {
                        validate31.errors = [{ instancePath: instancePath + "/details", schemaPath: "#/properties/details/maxLength", keyword: "maxLength", params: { limit: 1e3 }, message: "must NOT have more than 1000 characters" }];
                        return false;
                      }
                    } else {
                      validate31.errors = [{ instancePath: instancePath + "/details", schemaPath: "#/properties/details/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                      return false;
                    }
                  }
                  var valid0 = _errs11 === errors;
                } else {
                  var valid0 = true;
                }
              }
            }
          }
        }
      }
    } else {
      validate31.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" }, message: "must be object" }];
      return false;
    }
  }
  validate31.errors = vErrors;
  return errors === 0;
}
validate31.evaluated = { "props": true, "dynamicProps": false, "dynamicItems": false };
var uploadInfoPackage = validate32;
var schema56 = { "type": "string", "enum": ["identity", "group_invite"] };
var schema58 = { "type": ["integer", "null"], "format": "int64", "minimum": 1, "maximum": 1e3, "x-error": "INVALID_CONFIG" };
function validate32(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate32.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.ciphertext === void 0 && (missing0 = "ciphertext") || data.package_type === void 0 && (missing0 = "package_type") || data.ttl_seconds === void 0 && (missing0 = "ttl_seconds")) {
        validate32.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 }, message: "must have required property '" + missing0 + "'" }];
        return false;
      } else {
        const _errs1 = errors;
        for (const key0 in data) {
          if (!(key0 === "ciphertext" || key0 === "package_type" || key0 === "ttl_seconds" || key0 === "max_uses")) {
            validate32.errors = [{ instancePath, schemaPath: "#/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key0 }, message: "must NOT have additional properties" }];
            return false;
            break;
          }
        }
        if (_errs1 === errors) {
          if (data.ciphertext !== void 0) {
            let data0 = data.ciphertext;
            const _errs2 = errors;
            const _errs3 = errors;
            if (errors === _errs3) {
              if (typeof data0 === "string") {
                if (data0.length < 4) {
                  validate32.errors = [{ instancePath: instancePath + "/ciphertext", schemaPath: "contract#/definitions/InfoPackageCiphertext/minLength", keyword: "minLength", params: { limit: 4 }, message: "must NOT have fewer than 4 characters" }];
                  return false;
                } else {
                  if (!pattern6.test(data0)) {
                    validate32.errors = [{ instancePath: instancePath + "/ciphertext", schemaPath: "contract#/definitions/InfoPackageCiphertext/pattern", keyword: "pattern", params: { pattern: "^[A-Za-z0-9+/]*={0,2}$" }, message: 'must match pattern "^[A-Za-z0-9+/]*={0,2}$"' }];
                    return false;
                  }
                }
              } else {
                validate32.errors = [{ instancePath: instancePath + "/ciphertext", schemaPath: "contract#/definitions/InfoPackageCiphertext/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                return false;
              }
            }
            var valid0 = _errs2 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.package_type !== void 0) {
              let data1 = data.package_type;
              const _errs5 = errors;
              if (typeof data1 !== "string") {
                validate32.errors = [{ instancePath: instancePath + "/package_type", schemaPath: "contract#/definitions/InfoPackageType/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                return false;
              }
              if (!(data1 === "identity" || data1 === "group_invite")) {
                validate32.errors = [{ instancePath: instancePath + "/package_type", schemaPath: "contract#/definitions/InfoPackageType/enum", keyword: "enum", params: { allowedValues: schema56.enum }, message: "must be equal to one of the allowed values" }];
                return false;
              }
              var valid0 = _errs5 === errors;
            } else {
              var valid0 = true;
            }
            if (valid0) {
              if (data.ttl_seconds !== void 0) {
                let data2 = data.ttl_seconds;
                const _errs8 = errors;
                const _errs9 = errors;
                if (!(typeof data2 == "number" && (!(data2 % 1) && !isNaN(data2)))) {
                  validate32.errors = [{ instancePath: instancePath + "/ttl_seconds", schemaPath: "contract#/definitions/InfoPackageTtl/type", keyword: "type", params: { type: "integer" }, message: "must be integer" }];
                  return false;
                }
                if (errors === _errs9) {
                  if (typeof data2 == "number") {
                    if (data2 > 2592e3 || isNaN(data2)) {
                      validate32.errors = [{ instancePath: instancePath + "/ttl_seconds", schemaPath: "contract#/definitions/InfoPackageTtl/maximum", keyword: "maximum", params: { comparison: "<=", limit: 2592e3 }, message: "must be <= 2592000" }];
                      return false;
                    } else {
                      if (data2 < 60 || isNaN(data2)) {
                        validate32.errors = [{ instancePath: instancePath + "/ttl_seconds", schemaPath: "contract#/definitions/InfoPackageTtl/minimum", keyword: "minimum", params: { comparison: ">=", limit: 60 }, message: "must be >= 60" }];
                        return false;
                      }
                    }
                  }
                }
                var valid0 = _errs8 === errors;
              } else {
                var valid0 = true;
              }
              if (valid0) {
                if (data.max_uses !== void 0) {
                  let data3 = data.max_uses;
                  const _errs11 = errors;
                  const _errs12 = errors;
                  if (!(typeof data3 == "number" && (!(data3 % 1) && !isNaN(data3))) && data3 !== null) {
                    validate32.errors = [{ instancePath: instancePath + "/max_uses", schemaPath: "contract#/definitions/InfoPackageMaxUses/type", keyword: "type", params: { type: schema58.type }, message: "must be integer,null" }];
                    return false;
                  }
                  if (errors === _errs12) {
                    if (typeof data3 == "number") {
                      if (data3 > 1e3 || isNaN(data3)) {
                        validate32.errors = [{ instancePath: instancePath + "/max_uses", schemaPath: "contract#/definitions/InfoPackageMaxUses/maximum", keyword: "maximum", params: { comparison: "<=", limit: 1e3 }, message: "must be <= 1000" }];
                        return false;
                      } else {
                        if (data3 < 1 || isNaN(data3)) {
                          validate32.errors = [{ instancePath: instancePath + "/max_uses", schemaPath: "contract#/definitions/InfoPackageMaxUses/minimum", keyword: "minimum", params: { comparison: ">=", limit: 1 }, message: "must be >= 1" }];
                          return false;
                        }
                      }
                    }
                  }
                  var valid0 = _errs11 === errors;
                } else {
                  var valid0 = true;
                }
              }
            }
          }
        }
      }
    } else {
      validate32.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" }, message: "must be object" }];
      return false;
    }
  }
  validate32.errors = vErrors;
  return errors === 0;
}
validate32.evaluated = { "props": true, "dynamicProps": false, "dynamicItems": false };
var uploadPlainInfoPackage = validate33;
function validate33(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate33.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.package_type === void 0 && (missing0 = "package_type") || data.content === void 0 && (missing0 = "content") || data.ttl_seconds === void 0 && (missing0 = "ttl_seconds")) {
        validate33.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 }, message: "must have required property '" + missing0 + "'" }];
        return false;
      } else {
        const _errs1 = errors;
        for (const key0 in data) {
          if (!(key0 === "package_type" || key0 === "content" || key0 === "ttl_seconds" || key0 === "max_uses")) {
            validate33.errors = [{ instancePath, schemaPath: "#/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key0 }, message: "must NOT have additional properties" }];
            return false;
            break;
          }
        }
        if (_errs1 === errors) {
          if (data.package_type !== void 0) {
            let data0 = data.package_type;
            const _errs2 = errors;
            if (typeof data0 !== "string") {
              validate33.errors = [{ instancePath: instancePath + "/package_type", schemaPath: "contract#/definitions/InfoPackageType/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
              return false;
            }
            if (!(data0 === "identity" || data0 === "group_invite")) {
              validate33.errors = [{ instancePath: instancePath + "/package_type", schemaPath: "contract#/definitions/InfoPackageType/enum", keyword: "enum", params: { allowedValues: schema56.enum }, message: "must be equal to one of the allowed values" }];
              return false;
            }
            var valid0 = _errs2 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.content !== void 0) {
              let data1 = data.content;
              const _errs5 = errors;
              const _errs6 = errors;
              if (errors === _errs6) {
                if (data1 && typeof data1 == "object" && !Array.isArray(data1)) {
                } else {
                  validate33.errors = [{ instancePath: instancePath + "/content", schemaPath: "contract#/definitions/InfoPackageContent/type", keyword: "type", params: { type: "object" }, message: "must be object" }];
                  return false;
                }
              }
              var valid0 = _errs5 === errors;
            } else {
              var valid0 = true;
            }
            if (valid0) {
              if (data.ttl_seconds !== void 0) {
                let data2 = data.ttl_seconds;
                const _errs9 = errors;
                const _errs10 = errors;
                if (!(typeof data2 == "number" && (!(data2 % 1) && !isNaN(data2)))) {
                  validate33.errors = [{ instancePath: instancePath + "/ttl_seconds", schemaPath: "contract#/definitions/InfoPackageTtl/type", keyword: "type", params: { type: "integer" }, message: "must be integer" }];
                  return false;
                }
                if (errors === _errs10) {
                  if (typeof data2 == "number") {
                    if (data2 > 2592e3 || isNaN(data2)) {
                      validate33.errors = [{ instancePath: instancePath + "/ttl_seconds", schemaPath: "contract#/definitions/InfoPackageTtl/maximum", keyword: "maximum", params: { comparison: "<=", limit: 2592e3 }, message: "must be <= 2592000" }];
                      return false;
                    } else {
                      if (data2 < 60 || isNaN(data2)) {
                        validate33.errors = [{ instancePath: instancePath + "/ttl_seconds", schemaPath: "contract#/definitions/InfoPackageTtl/minimum", keyword: "minimum", params: { comparison: ">=", limit: 60 }, message: "must be >= 60" }];
                        return false;
                      }
                    }
                  }
                }
                var valid0 = _errs9 === errors;
              } else {
                var valid0 = true;
              }
              if (valid0) {
                if (data.max_uses !== void 0) {
                  let data3 = data.max_uses;
                  const _errs12 = errors;
                  const _errs13 = errors;
                  if (!(typeof data3 == "number" && (!(data3 % 1) && !isNaN(data3))) && data3 !== null) {
                    validate33.errors = [{ instancePath: instancePath + "/max_uses", schemaPath: "contract#/definitions/InfoPackageMaxUses/type", keyword: "type", params: { type: schema58.type }, message: "must be integer,null" }];
                    return false;
                  }
                  if (errors === _errs13) {
                    if (typeof data3 == "number") {
                      if (data3 > 1e3 || isNaN(data3)) {
                        validate33.errors = [{ instancePath: instancePath + "/max_uses", schemaPath: "contract#/definitions/InfoPackageMaxUses/maximum", keyword: "maximum", params: { comparison: "<=", limit: 1e3 }, message: "must be <= 1000" }];
                        return false;
                      } else {
                        if (data3 < 1 || isNaN(data3)) {
                          validate33.errors = [{ instancePath: instancePath + "/max_uses", schemaPath: "contract#/definitions/InfoPackageMaxUses/minimum", keyword: "minimum", params: { comparison: ">=", limit: 1 }, message: "must be >= 1" }];
                          return false;
                        }
                      }
                    }
                  }
                  var valid0 = _errs12 === errors;
                } else {
                  var valid0 = true;
                }
              }
            }
          }
        }
      }
    } else {
      validate33.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" }, message: "must be object" }];
      return false;
    }
  }
  validate33.errors = vErrors;
  return errors === 0;
}
validate33.evaluated = { "props": true, "dynamicProps": false, "dynamicItems": false };
var uploadKeyPackages = validate34;
var pattern18 = func0("^[0-9a-fA-F]{128}$", "u");
function validate34(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate34.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.device_id === void 0 && (missing0 = "device_id") || data.key_packages === void 0 && (missing0 = "key_packages") || data.signature === void 0 && (missing0 = "signature") || data.timestamp === void 0 && (missing0 = "timestamp")) {
        validate34.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 }, message: "must have required property '" + missing0 + "'" }];
        return false;
      } else {
        const _errs1 = errors;
        for (const key0 in data) {
          if (!(key0 === "device_id" || key0 === "key_packages" || key0 === "signature" || key0 === "timestamp" || key0 === "replace" || key0 === "last_resort_key_package" || key0 === "audience")) {
            validate34.errors = [{ instancePath, schemaPath: "#/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key0 }, message: "must NOT have additional properties" }];
            return false;
            break;
          }
        }
        if (_errs1 === errors) {
          if (data.device_id !== void 0) {
            let data0 = data.device_id;
            const _errs2 = errors;
            const _errs3 = errors;
            if (errors === _errs3) {
              if (typeof data0 === "string") {
                if (!pattern14.test(data0)) {
                  validate34.errors = [{ instancePath: instancePath + "/device_id", schemaPath: "contract#/definitions/DeviceId/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{64}$" }, message: 'must match pattern "^[0-9a-fA-F]{64}$"' }];
                  return false;
                }
              } else {
                validate34.errors = [{ instancePath: instancePath + "/device_id", schemaPath: "contract#/definitions/DeviceId/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                return false;
              }
            }
            var valid0 = _errs2 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.key_packages !== void 0) {
              let data1 = data.key_packages;
              const _errs5 = errors;
              if (errors === _errs5) {
                if (Array.isArray(data1)) {
                  if (data1.length > 100) {
                    validate34.errors = [{ instancePath: instancePath + "/key_packages", schemaPath: "#/properties/key_packages/maxItems", keyword: "maxItems", params: { limit: 100 }, message: "must NOT have more than 100 items" }];
                    return false;
                  } else {
                    var valid2 = true;
                    const len0 = data1.length;
                    for (let i0 = 0; i0 < len0; i0++) {
                      let data2 = data1[i0];
                      const _errs7 = errors;
                      const _errs8 = errors;
                      if (errors === _errs8) {
                        if (typeof data2 === "string") {
                          if (data2.length > 21848) {
                            validate34.errors = [{ instancePath: instancePath + "/key_packages/" + i0, schemaPath: "contract#/definitions/KeyPackage/maxLength", keyword: "maxLength", params: { limit: 21848 }, message: "must NOT have more than 21848 characters" }];
                            return false;
                          } else {
                            if (data2.length < 88) {
                              validate34.errors = [{ instancePath: instancePath + "/key_packages/" + i0, schemaPath: "contract#/definitions/KeyPackage/minLength", keyword: "minLength", params: { limit: 88 }, message: "must NOT have fewer than 88 characters" }];
                              return false;
                            } else {
                              if (!pattern6.test(data2)) {
                                validate34.errors = [{ instancePath: instancePath + "/key_packages/" + i0, schemaPath: "contract#/definitions/KeyPackage/pattern", keyword: "pattern", params: { pattern: "^[A-Za-z0-9+/]*={0,2}$" }, message: 'must match pattern "^[A-Za-z0-9+/]*={0,2}$"' }];
                                return false;
                              }
                            }
                          }
                        } else {
                          validate34.errors = [{ instancePath: instancePath + "/key_packages/" + i0, schemaPath: "contract#/definitions/KeyPackage/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                          return false;
                        }
                      }
                      var valid2 = _errs7 === errors;
                      if (!valid2) {
                        break;
                      }
                    }
                  }
                } else {
                  validate34.errors = [{ instancePath: instancePath + "/key_packages", schemaPath: "#/properties/key_packages/type", keyword: "type", params: { type: "array" }, message: "must be array" }];
                  return false;
                }
              }
              var valid0 = _errs5 === errors;
            } else {
              var valid0 = true;
            }
            if (valid0) {
              if (data.signature !== void 0) {
                let data3 = data.signature;
                const _errs10 = errors;
                const _errs11 = errors;
                if (errors === _errs11) {
                  if (typeof data3 === "string") {
                    if (!pattern18.test(data3)) {
                      validate34.errors = [{ instancePath: instancePath + "/signature", schemaPath: "contract#/definitions/Signature/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{128}$" }, message: 'must match pattern "^[0-9a-fA-F]{128}$"' }];
                      return false;
                    }
                  } else {
                    validate34.errors = [{ instancePath: instancePath + "/signature", schemaPath: "contract#/definitions/Signature/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                    return false;
                  }
                }
                var valid0 = _errs10 === errors;
              } else {
                var valid0 = true;
              }
              if (valid0) {
                if (data.timestamp !== void 0) {
                  let data4 = data.timestamp;
                  const _errs13 = errors;
                  const _errs14 = errors;
                  if (!(typeof data4 == "number" && (!(data4 % 1) && !isNaN(data4)))) {
                    validate34.errors = [{ instancePath: instancePath + "/timestamp", schemaPath: "contract#/definitions/Timestamp/type", keyword: "type", params: { type: "integer" }, message: "must be integer" }];
                    return false;
                  }
                  if (errors === _errs14) {
                    if (typeof data4 == "number") {
                      if (data4 > 253402300799 || isNaN(data4)) {
                        validate34.errors = [{ instancePath: instancePath + "/timestamp", schemaPath: "contract#/definitions/Timestamp/maximum", keyword: "maximum", params: { comparison: "<=", limit: 253402300799 }, message: "must be <= 253402300799" }];
                        return false;
                      } else {
                        if (data4 < 0 || isNaN(data4)) {
                          validate34.errors = [{ instancePath: instancePath + "/timestamp", schemaPath: "contract#/definitions/Timestamp/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 }, message: "must be >= 0" }];
                          return false;
                        }
                      }
                    }
                  }
                  var valid0 = _errs13 === errors;
                } else {
                  var valid0 = true;
                }
                if (valid0) {
                  if (data.replace !== void 0) {
                    const _errs16 = errors;
                    if (typeof data.replace !== "boolean") {
                      validate34.errors = [{ instancePath: instancePath + "/replace", schemaPath: "#/properties/replace/type", keyword: "type", params: { type: "boolean" }, message: "must be boolean" }];
                      return false;
                    }
                    var valid0 = _errs16 === errors;
                  } else {
                    var valid0 = true;
                  }
                  if (valid0) {
                    if (data.last_resort_key_package !== void 0) {
                      let data6 = data.last_resort_key_package;
                      const _errs18 = errors;
                      const _errs19 = errors;
                      if (errors === _errs19) {
                        if (typeof data6 === "string") {
                          if (data6.length > 21848) {
                            validate34.errors = [{ instancePath: instancePath + "/last_resort_key_package", schemaPath: "contract#/definitions/KeyPackage/maxLength", keyword: "maxLength", params: { limit: 21848 }, message: "must NOT have more than 21848 characters" }];
                            return false;
                          } else {
                            if (data6.length < 88) {
                              validate34.errors = [{ instancePath: instancePath + "/last_resort_key_package", schemaPath: "contract#/definitions/KeyPackage/minLength", keyword: "minLength", params: { limit: 88 }, message: "must NOT have fewer than 88 characters" }];
                              return false;
                            } else {
                              if (!pattern6.test(data6)) {
                                validate34.errors = [{ instancePath: instancePath + "/last_resort_key_package", schemaPath: "contract#/definitions/KeyPackage/pattern", keyword: "pattern", params: { pattern: "^[A-Za-z0-9+/]*={0,2}$" }, message: 'must match pattern "^[A-Za-z0-9+/]*={0,2}$"' }];
                                return false;
                              }
                            }
                          }
                        } else {
                          validate34.errors = [{ instancePath: instancePath + "/last_resort_key_package", schemaPath: "contract#/definitions/KeyPackage/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                          return false;
                        }
                      }
                      var valid0 = _errs18 === errors;
                    } else {
                      var valid0 = true;
                    }
                    if (valid0) {
                      if (data.audience !== void 0) {
                        let data7 = data.audience;
                        const _errs21 = errors;
                        const _errs22 = errors;
                        if (errors === _errs22) {
                          if (typeof data7 === "string") {
                            if (data7.length > 259) {
                              validate34.errors = [{ instancePath: instancePath + "/audience", schemaPath: "contract#/definitions/Audience/maxLength", keyword: "maxLength", params: { limit: 259 }, message: "must NOT have more than 259 characters" }];
                              return false;
                            } else {
                              if (data7.length < 1) {
                                validate34.errors = [{ instancePath: instancePath + "/audience", schemaPath: "contract#/definitions/Audience/minLength", keyword: "minLength", params: { limit: 1 }, message: "must NOT have fewer than 1 characters" }];
                                return false;
                              }
                            }
                          } else {
                            validate34.errors = [{ instancePath: instancePath + "/audience", schemaPath: "contract#/definitions/Audience/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                            return false;
                          }
                        }
                        var valid0 = _errs21 === errors;
                      } else {
                        var valid0 = true;
                      }
                    }
                  }
                }
              }
            }
          }
        }
      }
    } else {
      validate34.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" }, message: "must be object" }];
      return false;
    }
  }
  validate34.errors = vErrors;
  return errors === 0;
}
validate34.evaluated = { "props": true, "dynamicProps": false, "dynamicItems": false };
var putProvisioningBlob = validate35;
function validate35(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate35.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.ciphertext === void 0 && (missing0 = "ciphertext")) {
        validate35.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 }, message: "must have required property '" + missing0 + "'" }];
        return false;
      } else {
        const _errs1 = errors;
        for (const key0 in data) {
          if (!(key0 === "ciphertext")) {
            validate35.errors = [{ instancePath, schemaPath: "#/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key0 }, message: "must NOT have additional properties" }];
            return false;
            break;
          }
        }
        if (_errs1 === errors) {
          if (data.ciphertext !== void 0) {
            let data0 = data.ciphertext;
            const _errs3 = errors;
            if (errors === _errs3) {
              if (typeof data0 === "string") {
                if (data0.length < 4) {
                  validate35.errors = [{ instancePath: instancePath + "/ciphertext", schemaPath: "contract#/definitions/ProvisioningCiphertext/minLength", keyword: "minLength", params: { limit: 4 }, message: "must NOT have fewer than 4 characters" }];
                  return false;
                } else {
                  if (!pattern6.test(data0)) {
                    validate35.errors = [{ instancePath: instancePath + "/ciphertext", schemaPath: "contract#/definitions/ProvisioningCiphertext/pattern", keyword: "pattern", params: { pattern: "^[A-Za-z0-9+/]*={0,2}$" }, message: 'must match pattern "^[A-Za-z0-9+/]*={0,2}$"' }];
                    return false;
                  }
                }
              } else {
                validate35.errors = [{ instancePath: instancePath + "/ciphertext", schemaPath: "contract#/definitions/ProvisioningCiphertext/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                return false;
              }
            }
          }
        }
      }
    } else {
      validate35.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" }, message: "must be object" }];
      return false;
    }
  }
  validate35.errors = vErrors;
  return errors === 0;
}
validate35.evaluated = { "props": true, "dynamicProps": false, "dynamicItems": false };
var deliverTransactionParameters = validate36;
function validate36(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate36.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.path === void 0 && (missing0 = "path") || data.header === void 0 && (missing0 = "header")) {
        validate36.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 }, message: "must have required property '" + missing0 + "'" }];
        return false;
      } else {
        if (data.path !== void 0) {
          let data0 = data.path;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (data0 && typeof data0 == "object" && !Array.isArray(data0)) {
              let missing1;
              if (data0.transaction_id === void 0 && (missing1 = "transaction_id")) {
                validate36.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/required", keyword: "required", params: { missingProperty: missing1 }, message: "must have required property '" + missing1 + "'" }];
                return false;
              } else {
                if (data0.transaction_id !== void 0) {
                  let data1 = data0.transaction_id;
                  const _errs4 = errors;
                  if (errors === _errs4) {
                    if (typeof data1 === "string") {
                      if (!pattern11.test(data1)) {
                        validate36.errors = [{ instancePath: instancePath + "/path/transaction_id", schemaPath: "contract#/definitions/TransactionId/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$" }, message: 'must match pattern "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$"' }];
                        return false;
                      }
                    } else {
                      validate36.errors = [{ instancePath: instancePath + "/path/transaction_id", schemaPath: "contract#/definitions/TransactionId/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                      return false;
                    }
                  }
                }
              }
            } else {
              validate36.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/type", keyword: "type", params: { type: "object" }, message: "must be object" }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.header !== void 0) {
            let data2 = data.header;
            const _errs6 = errors;
            if (errors === _errs6) {
              if (data2 && typeof data2 == "object" && !Array.isArray(data2)) {
                let missing2;
                if (data2["x-origin-server"] === void 0 && (missing2 = "x-origin-server")) {
                  validate36.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/required", keyword: "required", params: { missingProperty: missing2 }, message: "must have required property '" + missing2 + "'" }];
                  return false;
                } else {
                  if (data2["x-origin-server"] !== void 0) {
                    let data3 = data2["x-origin-server"];
                    const _errs8 = errors;
                    if (errors === _errs8) {
                      if (typeof data3 === "string") {
                        if (data3.length > 259) {
                          validate36.errors = [{ instancePath: instancePath + "/header/x-origin-server", schemaPath: "#/properties/header/properties/x-origin-server/maxLength", keyword: "maxLength", params: { limit: 259 }, message: "must NOT have more than 259 characters" }];
                          return false;
                        } else {
                          if (data3.length < 1) {
                            validate36.errors = [{ instancePath: instancePath + "/header/x-origin-server", schemaPath: "#/properties/header/properties/x-origin-server/minLength", keyword: "minLength", params: { limit: 1 }, message: "must NOT have fewer than 1 characters" }];
                            return false;
                          }
                        }
                      } else {
                        validate36.errors = [{ instancePath: instancePath + "/header/x-origin-server", schemaPath: "#/properties/header/properties/x-origin-server/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                        return false;
                      }
                    }
                  }
                }
              } else {
                validate36.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/type", keyword: "type", params: { type: "object" }, message: "must be object" }];
                return false;
              }
            }
            var valid0 = _errs6 === errors;
          } else {
            var valid0 = true;
          }
        }
      }
    } else {
      validate36.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" }, message: "must be object" }];
      return false;
    }
  }
  validate36.errors = vErrors;
  return errors === 0;
}
validate36.evaluated = { "props": { "path": true, "header": true }, "dynamicProps": false, "dynamicItems": false };
var putProvisioningBlobParameters = validate37;
function validate37(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate37.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.path === void 0 && (missing0 = "path") || data.header === void 0 && (missing0 = "header")) {
        validate37.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 }, message: "must have required property '" + missing0 + "'" }];
        return false;
      } else {
        if (data.path !== void 0) {
          let data0 = data.path;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (data0 && typeof data0 == "object" && !Array.isArray(data0)) {
              let missing1;
              if (data0.id === void 0 && (missing1 = "id")) {
                validate37.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/required", keyword: "required", params: { missingProperty: missing1 }, message: "must have required property '" + missing1 + "'" }];
                return false;
              } else {
                if (data0.id !== void 0) {
                  let data1 = data0.id;
                  const _errs4 = errors;
                  if (errors === _errs4) {
                    if (typeof data1 === "string") {
                      if (!pattern11.test(data1)) {
                        validate37.errors = [{ instancePath: instancePath + "/path/id", schemaPath: "contract#/definitions/ProvisioningId/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$" }, message: 'must match pattern "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$"' }];
                        return false;
                      }
                    } else {
                      validate37.errors = [{ instancePath: instancePath + "/path/id", schemaPath: "contract#/definitions/ProvisioningId/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                      return false;
                    }
                  }
                }
              }
            } else {
              validate37.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/type", keyword: "type", params: { type: "object" }, message: "must be object" }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.header !== void 0) {
            let data2 = data.header;
            const _errs6 = errors;
            if (errors === _errs6) {
              if (!(data2 && typeof data2 == "object" && !Array.isArray(data2))) {
                validate37.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/type", keyword: "type", params: { type: "object" }, message: "must be object" }];
                return false;
              }
            }
            var valid0 = _errs6 === errors;
          } else {
            var valid0 = true;
          }
        }
      }
    } else {
      validate37.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" }, message: "must be object" }];
      return false;
    }
  }
  validate37.errors = vErrors;
  return errors === 0;
}
validate37.evaluated = { "props": { "path": true, "header": true }, "dynamicProps": false, "dynamicItems": false };

/** @type {Readonly<Record<string, (body: unknown) => boolean>>} */
export const bodyValidators = /** @type {any} */ ({ sendMessage, sendMessageBatch, acknowledgeMessages, deliverTransaction, reportSpam, uploadInfoPackage, uploadPlainInfoPackage, uploadKeyPackages, putProvisioningBlob });

/** @type {Readonly<Record<string, (given: { path: object, header: object }) => boolean>>} */
export const parameterValidators = /** @type {any} */ ({ deliverTransaction: deliverTransactionParameters, putProvisioningBlob: putProvisioningBlobParameters });
